package dev.pawl.redis.port;

import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * The first connection of a process, which has five times as long as a call: on a busy machine the
 * client's classes, and a server that has just been started, take their time.
 *
 * <p>A server that is silent is tried again until then. One that refuses fails at once: waiting
 * would not help.
 */
public final class FirstConnection {

  private static final int TIMES = 5;

  private final Duration timeout;
  private final long start = System.nanoTime();

  /**
   * Begins now.
   *
   * @param timeout how long a call may take
   */
  public FirstConnection(Duration timeout) {
    this.timeout = timeout;
  }

  /** Returns how long there is in total. */
  public static Duration most(Duration timeout) {
    return timeout.multipliedBy(TIMES);
  }

  /** Opens what an attempt opens, which may take several. */
  public <T> T open(Supplier<T> attempt) {
    while (true) {
      long begun = System.nanoTime();
      try {
        return attempt.get();
      } catch (StoreUnavailableException e) {
        // It may have been refused by a Sentinel, or named by one: the time it took tells.
        boolean silent = since(begun).compareTo(timeout.multipliedBy(9).dividedBy(10)) >= 0;
        if (!silent || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        if (isLate()) {
          throw timedOut(e);
        }
      }
    }
  }

  /** Tells whether nobody waits any longer. */
  public boolean isLate() {
    return since(start).compareTo(most(timeout)) >= 0;
  }

  private StoreUnavailableException timedOut(StoreUnavailableException e) {
    long tenths = Math.round(since(start).toMillis() / 100.0);
    return new StoreUnavailableException(
        e.getMessage() + "; timed out after " + tenths / 10.0 + " s", e.getCause());
  }

  private static Duration since(long nanos) {
    return Duration.ofNanos(System.nanoTime() - nanos);
  }
}
