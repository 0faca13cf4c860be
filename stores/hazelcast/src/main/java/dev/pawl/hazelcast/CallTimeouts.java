package dev.pawl.hazelcast;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Ends calls that are not answered in time, an eighth of that time late at the most.
 *
 * <p>One timer for all of them, that is set while there are any: one for each call would wake its
 * thread with every call.
 */
final class CallTimeouts {

  private static final int LOOKS = 8;

  private record Pending(
      CompletableFuture<?> answer, Consumer<Throwable> onTimeout, long untilNanos) {}

  private final long timeoutNanos;
  private final Executor later;
  private final Queue<Pending> pending = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean due = new AtomicBoolean();

  CallTimeouts(Duration timeout) {
    this.timeoutNanos = timeout.toNanos();
    this.later =
        CompletableFuture.delayedExecutor(
            timeoutNanos / LOOKS, TimeUnit.NANOSECONDS, Runnable::run);
  }

  /** Has a call ended when its time is up, unless it is answered before. */
  void add(CompletableFuture<?> answer, Consumer<Throwable> onTimeout) {
    if (answer.isDone()) {
      return;
    }
    pending.add(new Pending(answer, onTimeout, System.nanoTime() + timeoutNanos));
    lookLater();
  }

  private void lookLater() {
    if (!due.get() && due.compareAndSet(false, true)) {
      later.execute(this::look);
    }
  }

  private void look() {
    // Whoever adds one from here on sets the timer again.
    due.set(false);
    long now = System.nanoTime();
    pending.removeIf(
        each -> {
          if (!each.answer.isDone() && now - each.untilNanos >= 0) {
            each.onTimeout.accept(new TimeoutException());
            return true;
          }
          return each.answer.isDone();
        });
    if (!pending.isEmpty()) {
      lookLater();
    }
  }
}
