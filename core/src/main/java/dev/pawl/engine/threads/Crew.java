package dev.pawl.engine.threads;

import dev.pawl.engine.time.Scheduler;
import dev.pawl.engine.time.Ticker;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads for code that may block for as long as it likes: the user's.
 *
 * <p>There are few of them while that code returns soon. When a task has waited for {@link
 * #PATIENCE_NANOS} they become more, so that one that does not return holds up nobody else. A
 * thread that cannot be made is tried again: a task that was taken is done.
 */
final class Crew implements Executor {

  private static final Logger LOG = LoggerFactory.getLogger(Crew.class);

  static final int FEW = 4;
  static final int MOST = 256;

  /** How long a task waits before there is one more thread for it. */
  static final long PATIENCE_NANOS = 20_000_000;

  private static final long IDLE_NANOS = 10_000_000_000L;

  private final String name;
  private final ThreadFactory factory;
  private final Ticker ticker;
  private final Scheduler scheduler;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition work = lock.newCondition();
  private final Queue<Task> waiting = new ArrayDeque<>();
  private int threads;
  private int idle;
  private boolean watched;
  private boolean warned;
  private boolean closed;

  private record Task(Runnable action, long sinceNanos) {}

  Crew(String name, ThreadFactory factory, Ticker ticker, Scheduler scheduler) {
    this.name = name;
    this.factory = factory;
    this.ticker = ticker;
    this.scheduler = scheduler;
  }

  @Override
  public void execute(Runnable action) {
    boolean hire = false;
    boolean watch = false;
    lock.lock();
    try {
      if (closed) {
        throw new RejectedExecutionException(name + " is closed");
      }
      waiting.add(new Task(action, ticker.nanos()));
      if (waiting.size() <= idle) {
        work.signal();
      } else {
        hire = threads < FEW;
        threads += hire ? 1 : 0;
        watch = !watched;
        watched = true;
      }
    } finally {
      lock.unlock();
    }
    if (hire) {
      hire(1);
    }
    if (watch) {
      scheduler.schedule(this::check, PATIENCE_NANOS);
    }
  }

  /** Sees whether somebody has waited for long, until nobody waits. */
  private void check() {
    int more = 0;
    boolean warn = false;
    lock.lock();
    try {
      Task next = waiting.peek();
      watched = next != null;
      if (next == null) {
        return;
      }
      if (ticker.nanos() - next.sinceNanos() >= PATIENCE_NANOS) {
        more = Math.min(Math.max(1, threads), Math.min(waiting.size(), MOST - threads));
        threads += more;
        warn = threads == MOST && !warned;
        warned |= warn;
      }
    } finally {
      lock.unlock();
    }
    if (warn) {
      LOG.warn(
          "{}: {} callbacks have not returned, and the next ones wait for them; do long work"
              + " elsewhere",
          name,
          MOST);
    }
    hire(more);
    scheduler.schedule(this::check, PATIENCE_NANOS);
  }

  /** Starts threads that are counted already. */
  private void hire(int count) {
    for (int i = 0; i < count; i++) {
      try {
        factory.newThread(this::work).start();
      } catch (Throwable e) { // OutOfMemoryError is how a thread that cannot be made is told.
        LOG.warn("{}: no thread could be started, trying again: {}", name, e.toString());
        lock.lock();
        try {
          threads -= count - i;
        } finally {
          lock.unlock();
        }
        return;
      }
    }
  }

  private void work() {
    for (Task task = take(); task != null; task = take()) {
      try {
        task.action().run();
      } catch (Throwable e) {
        LOG.warn("{}: a callback threw", name, e);
      }
    }
  }

  private @Nullable Task take() {
    Thread.interrupted(); // The one before may have left it behind.
    lock.lock();
    try {
      long left = IDLE_NANOS;
      idle++;
      while (waiting.isEmpty() && left > 0 && !closed) {
        try {
          left = work.awaitNanos(left);
        } catch (InterruptedException e) {
          left = IDLE_NANOS; // By whom? These threads are ours.
        }
      }
      idle--;
      Task task = waiting.poll();
      threads -= task == null ? 1 : 0;
      return task;
    } finally {
      lock.unlock();
    }
  }

  /** Takes nothing more; what was taken is done. */
  void shutdown() {
    int more;
    lock.lock();
    try {
      closed = true;
      more = Math.min(waiting.size(), MOST - threads); // Nobody watches any more.
      threads += more;
      work.signalAll();
    } finally {
      lock.unlock();
    }
    hire(more);
  }
}
