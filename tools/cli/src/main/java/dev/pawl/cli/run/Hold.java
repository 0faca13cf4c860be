package dev.pawl.cli.run;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** The hold that something is about to be done under: a lease, or the run of a job. */
final class Hold {

  /**
   * A lease with less left of it is confirmed first. The answer to an acquire has more; a grant
   * that was told by a signal lasts two seconds, which a busy machine can take to start a process.
   */
  private static final double FRESH_PART = 0.9;

  private static final long RETRY_NANOS = 50_000_000;

  private final Supplier<Duration> remaining;
  private final Runnable confirm;

  Hold(Supplier<Duration> remaining, Runnable confirm) {
    this.remaining = remaining;
    this.confirm = confirm;
  }

  static Hold of(Lease lease) {
    return new Hold(lease::remaining, lease::confirm);
  }

  static Hold of(Job.Run run) {
    return new Hold(run::remaining, run::confirm);
  }

  /**
   * Tells whether it lasts for about a whole lease from now; asks the store if it does not yet.
   * False if it is lost: nothing was done under it, so one can queue again.
   */
  boolean isWhole(Duration lease) throws InterruptedException {
    while (remaining.get().toNanos() < lease.toNanos() * FRESH_PART) {
      try {
        confirm.run();
        return true;
      } catch (LeaseLostException e) {
        return false;
      } catch (StoreUnavailableException | OutcomeUnknownException e) {
        // It may answer before the lease has expired; if not, whoever queues again is told why.
        LockSupport.parkNanos(RETRY_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
    return true;
  }
}
