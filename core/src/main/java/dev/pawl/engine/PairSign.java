package dev.pawl.engine;

import dev.pawl.PawlException;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairedStore;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps nodes away from a store that is the primary of a pair, if they were configured with it
 * alone: half of the servers would hold locks there while the others take them in the backup.
 */
final class PairSign {

  private static final Logger LOG = LoggerFactory.getLogger(PairSign.class);

  private PairSign() {}

  /**
   * Looks for the sign that a pair leaves in its primary.
   *
   * @throws PawlException if it is there
   */
  static void check(LockStore store, Duration responseTimeout) {
    if (store instanceof PairedStore || !store.capabilities().contains(Capability.REGISTERS)) {
      return;
    }
    boolean signed;
    try {
      signed =
          store
              .registers()
              .read(PairedStore.SIGN)
              .toCompletableFuture()
              .orTimeout(responseTimeout.toMillis(), TimeUnit.MILLISECONDS)
              .join()
              .value()
              .isPresent();
    } catch (CompletionException e) {
      LOG.debug("{}: not known whether it is the primary of a pair", store.describe(), e);
      return;
    }
    if (signed) {
      throw new PawlException(
          store.describe()
              + " is the primary of a pair, and this node was configured with it alone: it would"
              + " not notice when the others leave for the backup; name both stores, 'PRIMARY |"
              + " BACKUP', or take the pair apart with pawl mode --dissolve",
          null);
    }
  }
}
