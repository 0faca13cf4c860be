package dev.pawl.shedlock;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.Optional;
import net.javacrumbs.shedlock.core.AbstractSimpleLock;
import net.javacrumbs.shedlock.core.ClockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.LockException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A lease as ShedLock sees it. */
final class LeaseLock extends AbstractSimpleLock {

  private static final Logger LOG = LoggerFactory.getLogger(PawlLockProvider.class);

  private final Lease lease;

  LeaseLock(Lease lease, LockConfiguration configuration) {
    super(configuration);
    this.lease = lease;
  }

  /** ShedLock does not mind a lock that has ended, but whoever reads the log should. */
  @Override
  protected void doUnlock() {
    try {
      lease.closeAfter(
          Duration.between(ClockProvider.now(), lockConfiguration.getLockAtLeastUntil()));
    } catch (LeaseLostException e) {
      LOG.warn(
          "{} ended before its task did: another node may have run it meanwhile. Give it a longer"
              + " lockAtMostFor, or extend it ({})",
          lockConfiguration.getName(),
          e.getMessage());
    }
  }

  /** A lock that is shorter than Pawl's shortest lease ends here, when its own time is over. */
  @Override
  protected Optional<SimpleLock> doExtend(LockConfiguration extended) {
    if (!ClockProvider.now().isBefore(lockConfiguration.getLockAtMostUntil())) {
      doUnlock();
      return Optional.empty();
    }
    try {
      lease.extend(PawlLockProvider.lease(extended.getName(), extended.getLockAtMostFor()));
      return Optional.of(new LeaseLock(lease, extended));
    } catch (LeaseLostException e) {
      return Optional.empty();
    } catch (StoreUnavailableException | OutcomeUnknownException e) {
      throw new LockException("cannot extend " + extended.getName() + ": " + e.getMessage(), e);
    }
  }
}
