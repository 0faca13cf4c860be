package dev.pawl.redis.port;

import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.util.function.Function;
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
    return open(patience -> attempt.get());
  }

  /**
   * Opens what an attempt opens that is told how long it may take: a call's time, and then twice as
   * long each time. Where a handshake takes longer than a call, as many of them as you like fail.
   */
  public <T> T open(Function<Duration, T> attempt) {
    for (Duration patience = timeout; ; patience = next(patience)) {
      long begun = System.nanoTime();
      try {
        return attempt.apply(patience);
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

  /** Returns the time of the next attempt, within what there is in total. */
  private Duration next(Duration patience) {
    Duration left = most(timeout).minus(since(start));
    Duration twice = patience.multipliedBy(2);
    return twice.compareTo(left) < 0 ? twice : left.compareTo(timeout) < 0 ? timeout : left;
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
