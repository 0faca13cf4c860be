package dev.pawl.engine;

import dev.pawl.PawlException;
import dev.pawl.engine.threads.Platform;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairedStore;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps nodes away from a store that is the primary of a pair, if they were configured with it
 * alone: half of the servers would hold locks there while the others take them in the backup.
 */
final class PairSign {

  private static final Logger LOG = LoggerFactory.getLogger(PairSign.class);

  private static final Duration FIRST = Duration.ofMinutes(1);
  private static final Duration AGAIN = Duration.ofMinutes(5);

  private static final String DANGER =
      ": it would not notice when the others leave for the backup; name both stores, 'PRIMARY |"
          + " BACKUP', or take the pair apart with pawl mode --dissolve";

  private PairSign() {}

  /**
   * Looks for the sign that a pair leaves in its primary.
   *
   * @throws PawlException if it is there
   */
  static void check(LockStore store, Duration responseTimeout) {
    if (!mayHaveOne(store)) {
      return;
    }
    boolean signed;
    try {
      signed =
          isSigned(store)
              .toCompletableFuture()
              .orTimeout(responseTimeout.toMillis(), TimeUnit.MILLISECONDS)
              .join();
    } catch (CompletionException e) {
      LOG.debug("{}: not known whether it is the primary of a pair", store.describe(), e);
      return;
    }
    if (signed) {
      throw new PawlException(
          store.describe()
              + " is the primary of a pair, and this node was configured with it alone"
              + DANGER,
          null);
    }
  }

  /**
   * Looks for the sign a minute from now, and then every five minutes, and warns once if it is
   * there: the store was opened by the application, which is to pay no round trip for it at the
   * start, or the pair was rolled out when this node had been started already.
   */
  static void watch(LockStore store, Platform platform) {
    if (mayHaveOne(store)) {
      later(store, platform, FIRST);
    }
  }

  private static void later(LockStore store, Platform platform, Duration delay) {
    var unused =
        platform
            .scheduler()
            .schedule(
                () -> {
                  try {
                    platform.io().execute(() -> look(store, platform));
                  } catch (RejectedExecutionException e) {
                    // The node is closed.
                  }
                },
                delay.toNanos());
  }

  private static void look(LockStore store, Platform platform) {
    var unused =
        isSigned(store)
            .whenComplete(
                (signed, error) -> {
                  if (error == null && signed) {
                    LOG.warn(
                        "{} is the primary of a pair, and this node uses it alone{}",
                        store.describe(),
                        DANGER);
                  } else {
                    later(store, platform, AGAIN);
                  }
                });
  }

  private static boolean mayHaveOne(LockStore store) {
    return !(store instanceof PairedStore) && store.capabilities().contains(Capability.REGISTERS);
  }

  private static CompletionStage<Boolean> isSigned(LockStore store) {
    return store
        .registers()
        .read(PairedStore.SIGN)
        .thenApply(register -> register.value().isPresent());
  }
}
