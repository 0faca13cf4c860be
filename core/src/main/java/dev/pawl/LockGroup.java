package dev.pawl;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Several exclusive locks that are taken all or none.
 *
 * <p>They are taken one after the other in the order of their names' bytes, which is the same in
 * every process, so that two groups never wait for each other. One deadline covers the whole call.
 */
public interface LockGroup {

  /** Returns the names in the order in which they are taken. */
  List<String> names();

  /** Waits until all are granted. */
  LeaseGroup acquire() throws InterruptedException;

  /**
   * Waits until all are granted, but no longer than {@code wait} in all.
   *
   * @throws LockTimeoutException naming the lock that was held by somebody else; none is kept
   */
  LeaseGroup acquire(Duration wait) throws InterruptedException;

  /** Takes all if all are free now. */
  Optional<LeaseGroup> tryAcquire();

  /** Takes all if they become free within {@code wait}; empty, and none kept, if they do not. */
  Optional<LeaseGroup> tryAcquire(Duration wait) throws InterruptedException;
}
