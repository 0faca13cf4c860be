package dev.pawl.console.watch;

import dev.pawl.PawlException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something that is read from the store while anybody looks at it, once for all who look: what it
 * costs the store does not depend on how many pages are open, and nothing is read when none is.
 *
 * <p>Between two reads there is a pause of the pace, and of the time that the read took at least: a
 * store that answers slowly is not asked all the time.
 */
public final class Shared<T> implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Shared.class);

  private static final long CURRENT_NANOS = 2_000_000_000L;

  private final String name;
  private final long paceNanos;
  private final Supplier<T> read;
  private final AtomicLong reads = new AtomicLong();
  private final Set<Runnable> watchers = new CopyOnWriteArraySet<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition change = lock.newCondition();

  // Changed with the lock held.
  private volatile Seen<T> seen = new Seen<>(0, null, Optional.empty(), 0);
  private boolean wanted;
  private boolean closed;
  private @Nullable Thread reader;

  /** Makes one that reads by {@code read}, on a thread of its own. */
  public Shared(String name, Duration pace, Supplier<T> read) {
    this.name = name;
    this.paceNanos = pace.toNanos();
    this.read = read;
  }

  /**
   * What was seen last.
   *
   * @param version counts the reads, those that failed too
   * @param value the latest value; null as long as there is none
   * @param trouble why the latest read failed; empty if it did not
   * @param atNanos when the value was read, by this process's monotonic clock
   */
  public record Seen<T>(long version, @Nullable T value, Optional<Trouble> trouble, long atNanos) {}

  /** Returns what was seen last. */
  public Seen<T> latest() {
    return seen;
  }

  /** Tells whether what was seen last is as new as can be expected while somebody looks. */
  public boolean isCurrent() {
    Seen<T> known = seen;
    return known.value() != null
        && System.nanoTime() - known.atNanos() < Math.max(CURRENT_NANOS, 2 * paceNanos);
  }

  /** Returns how often the store was read. */
  public long reads() {
    return reads.get();
  }

  /** Returns how many look. */
  public int watched() {
    return watchers.size();
  }

  /**
   * Reads from now on, and calls {@code watcher} after each read, on the reader's thread.
   *
   * @return what ends it
   */
  public Runnable watch(Runnable watcher) {
    watchers.add(watcher);
    try {
      wake(false);
    } catch (Throwable e) { // No thread can be made to read.
      watchers.remove(watcher);
      throw e;
    }
    return () -> watchers.remove(watcher);
  }

  /** Has it read at once, as something has just been changed. */
  public void refresh() {
    wake(true);
  }

  /**
   * Returns what is no older than {@code age}, and reads if there is none.
   *
   * @throws PawlException if the store cannot be read in time
   */
  public T fresh(Duration age, Duration timeout) {
    Seen<T> known = seen;
    if (isYoung(known, age)) {
      return Objects.requireNonNull(known.value());
    }
    long end = System.nanoTime() + timeout.toNanos();
    wake(true);
    lock.lock();
    try {
      while (seen.version() == known.version()) {
        long left = end - System.nanoTime();
        if (left <= 0 || closed) {
          throw new dev.pawl.StoreUnavailableException(
              "the store did not answer within " + timeout.toMillis() + " ms", null);
        }
        awaitNanos(left);
      }
      Seen<T> now = seen;
      T value = now.value();
      if (value == null || now.trouble().isPresent()) {
        throw new dev.pawl.StoreUnavailableException(
            now.trouble().map(Trouble::message).orElse("not read yet"), null);
      }
      return value;
    } finally {
      lock.unlock();
    }
  }

  private static <T> boolean isYoung(Seen<T> known, Duration age) {
    return known.value() != null
        && known.trouble().isEmpty()
        && System.nanoTime() - known.atNanos() <= age.toNanos();
  }

  private void wake(boolean now) {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      wanted |= now;
      if (reader == null) {
        Thread started = new Thread(this::run, "pawl-console-" + name);
        started.setDaemon(true);
        started.start();
        reader = started;
      }
      change.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    long next = System.nanoTime();
    while (awaitTurn(next)) {
      long start = System.nanoTime();
      readOnce();
      for (Runnable watcher : watchers) {
        try {
          watcher.run();
        } catch (Throwable e) { // An Error, too: it would end the reading for all pages.
          LOG.warn("a page could not be told of a change", e);
        }
      }
      long took = System.nanoTime() - start;
      next = start + Math.max(paceNanos, 2 * took);
    }
  }

  /** Waits until it is time to read; returns false if it is closed. */
  private boolean awaitTurn(long next) {
    lock.lock();
    try {
      while (!closed && !wanted) {
        long left = next - System.nanoTime();
        if (watchers.isEmpty()) {
          awaitNanos(Long.MAX_VALUE);
        } else if (left > 0) {
          awaitNanos(left);
        } else {
          break;
        }
      }
      wanted = false;
      return !closed;
    } finally {
      lock.unlock();
    }
  }

  private void readOnce() {
    @Nullable T value = null;
    Optional<Trouble> trouble = Optional.empty();
    reads.incrementAndGet();
    try {
      value = read.get();
    } catch (Throwable e) { // As above: a driver that found no thread may find one the next time.
      if (!(e instanceof PawlException)) {
        LOG.warn("the store's {} could not be read", name, e);
      }
      trouble = Optional.of(Trouble.of(e));
    }
    lock.lock();
    try {
      Seen<T> before = seen;
      seen =
          value == null
              ? new Seen<>(before.version() + 1, before.value(), trouble, before.atNanos())
              : new Seen<>(before.version() + 1, value, trouble, System.nanoTime());
      change.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // Each caller loops.
  private void awaitNanos(long nanos) {
    try {
      if (change.awaitNanos(nanos) <= 0) {
        return;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  /** Ends the reading. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      change.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
