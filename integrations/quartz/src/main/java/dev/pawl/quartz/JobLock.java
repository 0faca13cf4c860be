package dev.pawl.quartz;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The lock of a job of which one run at a time is allowed in the cluster. */
final class JobLock {

  private static final Logger LOG = LoggerFactory.getLogger(PawlJobStore.class);

  /** As long as it takes. */
  private static final Duration PATIENCE = Duration.ofDays(365);

  private final DistributedLock lock;

  JobLock(DistributedLock lock) {
    this.lock = lock;
  }

  CompletableFuture<Lease> acquire() {
    return lock.acquireAsync(PATIENCE);
  }

  /**
   * Waits for it.
   *
   * @param asked is told of the call, to cancel it
   */
  Lease await(Consumer<CompletableFuture<Lease>> asked) throws InterruptedException {
    CompletableFuture<Lease> waiting = acquire();
    asked.accept(waiting);
    try {
      return waiting.get();
    } catch (InterruptedException e) {
      if (!waiting.cancel(true)) {
        var unused = waiting.thenAccept(JobLock::release); // It was granted at the last moment.
      }
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Releases it at the end of a run, which has been told if it was lost. */
  static void release(Lease lease) {
    try {
      lease.close();
    } catch (LeaseLostException e) {
      LOG.debug("{}", e.getMessage());
    }
  }
}
