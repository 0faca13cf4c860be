package dev.pawl.jdbc.wake;

import dev.pawl.PawlException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Wake-ups by asking: one poll of the store for all claims that wait, fast at first, then slower,
 * and none while nobody waits. A change in the record of a name is looked at here, so that a waiter
 * that was granted it need not ask.
 */
public final class Poll implements Signals.Wakeups {

  private static final Logger LOG = LoggerFactory.getLogger(Poll.class);

  /** How much longer each delay is than the one before, while nothing happens. */
  private static final double GROWTH = 1.2;

  private final Signals signals;
  private final WaiterCheck check;
  private final ScheduledExecutorService timer;
  private final Watch watch;
  private final long firstNanos;
  private final long lastNanos;
  private final AtomicBoolean running = new AtomicBoolean();

  /** The next poll: a timer may have kept one for which it found no thread, and run it later. */
  private final AtomicReference<@Nullable Object> due = new AtomicReference<>();

  private volatile long delayNanos;

  /** Tells whether there may be something to see since it was last asked. */
  @FunctionalInterface
  public interface Watch extends AutoCloseable {
    /** Tells whether there may be. */
    boolean hasChanged();

    @Override
    default void close() {}
  }

  /**
   * Returns a poll.
   *
   * @param firstNanos the delay after something has happened
   * @param lastNanos the longest delay
   */
  public Poll(
      Signals signals,
      WaiterCheck check,
      ScheduledExecutorService timer,
      Watch watch,
      long firstNanos,
      long lastNanos) {
    this.signals = signals;
    this.check = check;
    this.timer = timer;
    this.watch = watch;
    this.firstNanos = firstNanos;
    this.lastNanos = lastNanos;
    this.delayNanos = firstNanos;
  }

  @Override
  public void onWaiting() {
    delayNanos = firstNanos;
    if (running.compareAndSet(false, true)) {
      schedule();
    }
  }

  private void schedule() {
    long delay = delayNanos * 3 / 4 + ThreadLocalRandom.current().nextLong(delayNanos / 2);
    try {
      Object next = new Object();
      due.set(next);
      var unused = timer.schedule(() -> poll(next), delay, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      // The store is closed: nobody waits any more.
    } catch (OutOfMemoryError e) { // No thread can be made; the next one who waits tries again.
      due.set(null);
      running.set(false);
      LOG.warn("cannot poll for those who wait: {}", e.getMessage());
    }
  }

  private void poll(Object mine) {
    if (!due.compareAndSet(mine, null)) {
      return;
    }
    delayNanos = Math.min(lastNanos, (long) (delayNanos * GROWTH));
    try {
      if (watch.hasChanged() && !check.look().isEmpty()) {
        delayNanos = firstNanos; // Names are in motion.
      }
    } catch (PawlException e) {
      // I8: a timer of the node stands behind each waiter, and reports an outage.
      LOG.debug("poll failed: {}", e.getMessage());
    } catch (Throwable e) {
      // An error too: it must not be the last poll.
      LOG.warn("poll failed; please report this", e);
    }
    if (signals.isAnybodyWaiting()) {
      schedule();
    } else {
      running.set(false);
      if (signals.isAnybodyWaiting()) {
        onWaiting(); // One more came between the two.
      }
    }
  }

  @Override
  public void close() {
    watch.close();
  }
}
