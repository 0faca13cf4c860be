package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Something that a thread of its own does in a case. */
final class Background<T> {

  /** What takes longer than this hangs. */
  private static final Duration LONGEST = Duration.ofSeconds(30);

  private final FutureTask<T> task;
  private final Thread thread;

  private Background(String name, Callable<T> action) {
    this.task = new FutureTask<>(action);
    this.thread = new Thread(task, name);
    thread.setDaemon(true);
  }

  static <T> Background<T> start(String name, Callable<T> action) {
    Background<T> started = new Background<>(name, action);
    started.thread.start();
    return started;
  }

  /** Starts it, and returns when the thread waits for something. */
  static <T> Background<T> startAndBlock(String name, Callable<T> action) {
    Background<T> started = start(name, action);
    long deadline = System.nanoTime() + LONGEST.toNanos();
    boolean blocked = started.isBlocked();
    while (!blocked && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
      blocked = started.isBlocked();
    }
    assertThat(blocked).as("%s waits", name).isTrue();
    return started;
  }

  private boolean isBlocked() {
    assertThat(task.isDone()).as("%s should wait, and is done", thread.getName()).isFalse();
    Thread.State state = thread.getState();
    return state == Thread.State.WAITING || state == Thread.State.TIMED_WAITING;
  }

  void interrupt() {
    thread.interrupt();
  }

  boolean isDone() {
    return task.isDone();
  }

  /** Waits for what it returns; what it throws, it throws here. */
  T result() throws Exception {
    try {
      return task.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw new AssertionError(thread.getName() + " failed", e.getCause());
    } catch (TimeoutException e) {
      AssertionError hangs = new AssertionError(thread.getName() + " hangs after " + LONGEST);
      hangs.setStackTrace(thread.getStackTrace());
      throw hangs;
    }
  }

  /** Waits for what it throws. */
  Throwable failure() throws InterruptedException {
    @Nullable T result;
    try {
      result = task.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause();
      return cause == null ? e : cause;
    } catch (TimeoutException e) {
      throw new AssertionError(thread.getName() + " hangs after " + LONGEST, e);
    }
    throw new AssertionError(thread.getName() + " should have failed, and returned " + result);
  }

  /** Waits until the thread has ended. */
  void join() throws InterruptedException {
    thread.join(LONGEST.toMillis());
    assertThat(thread.isAlive()).as("%s is alive", thread.getName()).isFalse();
  }
}
