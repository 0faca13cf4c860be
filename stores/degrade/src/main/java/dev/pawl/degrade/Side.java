package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** One of the two stores: how it is called, how many calls are under way, and what its clock is. */
final class Side {

  /** How many calls to a primary may be under way whose driver blocks: each has a thread. */
  private static final int MOST_BLOCKING_CALLS = 16;

  private final Surroundings world;
  private final CallLine line;

  /** Whether calls are bounded though the driver does not block. */
  private final boolean alwaysBounded;

  private volatile @Nullable LockStore store;
  private volatile String why = "it was not opened yet";

  /** Counts the answers, so that a silent store is told from an idle one. */
  private final AtomicLong answers = new AtomicLong();

  private boolean read;
  private long readNanos;
  private long readMicros;

  private Side(Surroundings world, CallLine line, boolean alwaysBounded) {
    this.world = world;
    this.line = line;
    this.alwaysBounded = alwaysBounded;
  }

  static Side ofPrimary(Surroundings world) {
    String refusal =
        "not sent: "
            + MOST_BLOCKING_CALLS
            + " calls are under way to the primary, whose driver blocks, and others have waited for"
            + " 2 s";
    return new Side(world, new CallLine(world, MOST_BLOCKING_CALLS, refusal), false);
  }

  static Side ofBackup(Surroundings world, int mostCalls) {
    String refusal =
        "not sent: "
            + mostCalls
            + " calls are under way to the backup, and others have waited for 2 s (backup-calls)";
    return new Side(world, new CallLine(world, mostCalls, refusal), true);
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

  CallLine line() {
    return line;
  }

  /** Returns which part of the store a name lives in; a store that fails at that has no parts. */
  String shard(String name) {
    LockStore opened = store;
    try {
      return opened == null ? "" : opened.shard(name);
    } catch (RuntimeException e) { // A client that was shut down: what is sent to it fails as well.
      return "";
    }
  }

  /** Calls the store when fewer calls than the bound are under way; not at all if that is late. */
  <T> CompletionStage<T> call(Function<LockStore, CompletionStage<T>> command) {
    return isBounded() ? line.call(() -> now(command)) : now(command);
  }

  /** Releases a claim, before all that begins something. */
  CompletionStage<ReleaseReply> release(Command.Release command) {
    return end(command, store -> store.release(command));
  }

  /** Cancels a claim, before all that begins something. */
  CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return end(command, store -> store.cancel(command));
  }

  private <T> CompletionStage<T> end(
      Command what, Function<LockStore, CompletionStage<T>> command) {
    return isBounded() ? line.end(what, () -> now(command)) : now(command);
  }

  private boolean isBounded() {
    LockStore opened = store;
    return alwaysBounded || (opened != null && opened.blocking());
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
