package dev.pawl;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A semaphore across machines: each lease takes some of its permits.
 *
 * <p>Permits belong to the {@link Lease}, not to a thread; closing it gives them back.
 */
public interface DistributedSemaphore {

  /** Returns the name of the semaphore. */
  String name();

  /** Returns how many permits there are. */
  int capacity();

  /** Waits for one permit. */
  default Lease acquire() throws InterruptedException {
    return acquire(1);
  }

  /** Waits for that many permits. */
  Lease acquire(int permits) throws InterruptedException;

  /**
   * Waits for that many permits, but no longer than {@code wait}.
   *
   * @throws LockTimeoutException if they did not become free in time
   */
  Lease acquire(int permits, Duration wait) throws InterruptedException;

  /** Takes that many permits if they are free now. */
  Optional<Lease> tryAcquire(int permits);

  /** Takes that many permits if they become free within {@code wait}; empty if they do not. */
  Optional<Lease> tryAcquire(int permits, Duration wait) throws InterruptedException;

  /** Takes that many permits as soon as they are free, without blocking a thread. */
  CompletableFuture<Lease> acquireAsync(int permits, Duration wait);
}
