package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One of the two stores: how it is called, how many calls are under way, and what its clock is. */
final class Side {

  /** A call that is not answered by then no longer counts as under way. */
  private static final long LONGEST_CALL_NANOS = 10_000_000_000L;

  /**
   * A call that has waited for its turn for so long is not sent: whoever made it has given it up,
   * and if all were sent so late, none would be answered in time.
   */
  private static final long LONGEST_WAIT_NANOS = 2_000_000_000L;

  /** A call that waits for its turn. */
  private record Waiting(Runnable begin, Runnable expire, long sinceNanos) {}

  private final Surroundings world;
  private final int mostCalls;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Waiting> waiting = new ArrayDeque<>();

  /** Those that end something: they go first, and do not expire. */
  private final Deque<Waiting> waitingToEnd = new ArrayDeque<>();

  private int underWay;
  private volatile @Nullable LockStore store;
  private volatile String why = "it was not opened yet";

  /** Counts the answers, so that a silent store is told from an idle one. */
  private final AtomicLong answers = new AtomicLong();

  private boolean read;
  private long readNanos;
  private long readMicros;

  Side(Surroundings world, int mostCalls) {
    this.world = world;
    this.mostCalls = mostCalls;
  }

  void onOpened(LockStore opened) {
    store = opened;
  }

  void onUnreachable(String reason) {
    why = reason;
  }

  @Nullable LockStore store() {
    return store;
  }

  long answers() {
    return answers.get();
  }

  int waiting() {
    lock.lock();
    try {
      return waiting.size() + waitingToEnd.size();
    } finally {
      lock.unlock();
    }
  }

  /** Calls the store when fewer calls than the bound are under way; not at all if that is late. */
  <T> CompletionStage<T> call(Function<LockStore, CompletionStage<T>> command) {
    return call(false, command);
  }

  /** Calls the store to end something, before all that begins something. */
  <T> CompletionStage<T> end(Function<LockStore, CompletionStage<T>> command) {
    return call(true, command);
  }

  private <T> CompletionStage<T> call(
      boolean ends, Function<LockStore, CompletionStage<T>> command) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    AtomicBoolean left = new AtomicBoolean();
    Runnable leave =
        () -> {
          if (left.compareAndSet(false, true)) {
            leave();
          }
        };
    Runnable begin =
        () -> {
          if (mostCalls != Integer.MAX_VALUE) {
            world.timer().in(LONGEST_CALL_NANOS, leave);
          }
          pass(
              now(command)
                  .whenComplete(
                      (value, error) -> {
                        leave.run();
                      }),
              answer);
        };
    lock.lock();
    try {
      if (underWay >= mostCalls) {
        (ends ? waitingToEnd : waiting)
            .add(new Waiting(begin, () -> expire(answer), world.nanos().getAsLong()));
        return answer;
      }
      underWay++;
    } finally {
      lock.unlock();
    }
    begin.run();
    return answer;
  }

  private void expire(CompletableFuture<?> answer) {
    answer.completeExceptionally(
        new StoreUnavailableException(
            "not sent: "
                + mostCalls
                + " calls are under way to the backup, and others have waited for 2 s"
                + " (backup-calls)",
            null));
  }

  private void leave() {
    @Nullable Waiting next;
    List<Waiting> late = new ArrayList<>(0);
    lock.lock();
    try {
      next = waitingToEnd.poll();
      long now = world.nanos().getAsLong();
      while (next == null && !waiting.isEmpty()) {
        Waiting call = waiting.remove();
        if (now - call.sinceNanos() > LONGEST_WAIT_NANOS) {
          late.add(call);
        } else {
          next = call;
        }
      }
      if (next == null) {
        underWay--;
      }
    } finally {
      lock.unlock();
    }
    late.forEach(call -> call.expire().run());
    if (next != null) {
      next.begin().run();
    }
  }

  /** Calls the store at once, however many calls are under way: a lease hangs on it. */
  <T> CompletionStage<T> now(Function<LockStore, CompletionStage<T>> command) {
    LockStore opened = store;
    if (opened == null) {
      return CompletableFuture.failedFuture(
          new StoreUnavailableException("the store cannot be reached: " + why, null));
    }
    if (!opened.blocking()) {
      return invoke(opened, command);
    }
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      world.work().execute(() -> pass(invoke(opened, command), answer));
    } catch (RejectedExecutionException e) {
      answer.completeExceptionally(new StoreUnavailableException("the pair is closed", e));
    } catch (Throwable e) { // It was not sent, for want of a thread most likely: an outage of ours.
      answer.completeExceptionally(
          new StoreUnavailableException("no thread was found for the call: " + e, e));
    }
    return answer;
  }

  private <T> CompletionStage<T> invoke(
      LockStore opened, Function<LockStore, CompletionStage<T>> command) {
    try {
      return command
          .apply(opened)
          .whenComplete(
              (value, error) -> {
                if (error == null) {
                  answers.incrementAndGet();
                }
              });
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static <T> void pass(CompletionStage<T> stage, CompletableFuture<T> to) {
    var unused =
        stage.whenComplete(
            (value, error) -> {
              if (error == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(error);
              }
            });
  }

  // Its clock. Guarded by the lock of the pair.

  /** Takes what its clock showed in answer to something that was sent at that moment. */
  void onClock(long sentNanos, long micros) {
    if (!read || sentNanos - readNanos > 0) {
      read = true;
      readNanos = sentNanos;
      readMicros = micros;
    }
  }

  boolean isClockRead() {
    return read;
  }

  /** Returns a moment of the node's clock that is not later than this one of the store's. */
  long nanosAt(long micros) {
    return readNanos + (micros - readMicros) * 1_000;
  }

  /** Returns about what it shows at a moment of the node's. */
  long microsAt(long nanos) {
    return readMicros + (nanos - readNanos) / 1_000;
  }
}
