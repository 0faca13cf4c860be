package dev.pawl.engine.locks;

import dev.pawl.Pawl.Monitor;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.time.Timed;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call that waits for a lease: a thread, or a future. */
public final class Caller extends Timed {

  public static final long NO_DEADLINE = Long.MAX_VALUE;

  public final Request request;

  /** The thread that waits, or none if a future does. */
  public final @Nullable Thread thread;

  /** Whether the lease will belong to the thread, which must not end without releasing it. */
  final boolean threadOwned;

  public final long startedNanos;

  /** How long it waits, or {@link #NO_DEADLINE}; zero is now or never. */
  final long waitNanos;

  public final CompletableFuture<CallResult> outcome = new CompletableFuture<>();
  volatile @Nullable LocalQueue queue;

  /** Where the call was made, if the node remembers that. */
  @Nullable Throwable trace;

  /** The line it stands in, and its neighbours there; guarded by the queue. */
  @Nullable CallerLine line;

  @Nullable Caller ahead;
  @Nullable Caller behind;

  /** It waits for the store's next answer only, its own time being up; guarded by the queue. */
  boolean overdue;

  /** Whether it came behind others of this node; guarded by the queue. */
  boolean stoodBehind;

  /** How it was granted what it waited for, if it was; set before the outcome is there. */
  Monitor.Ending granted = Monitor.Ending.GRANTED;

  /** How its call ends as soon as the store has let go of its claim, or at its next timer. */
  volatile @Nullable CallResult parting;

  public Caller(
      Request request,
      @Nullable Thread thread,
      boolean threadOwned,
      long startedNanos,
      long waitNanos) {
    this.request = request;
    this.thread = thread;
    this.threadOwned = threadOwned;
    this.startedNanos = startedNanos;
    this.waitNanos = waitNanos;
  }

  /** When its time is up, if it ever is. */
  long endNanos() {
    return startedNanos + waitNanos;
  }

  /** Returns about what the store's clock showed when it began to wait; zero if nobody knows. */
  public long startedMicros() {
    LocalQueue at = queue;
    return at == null ? 0 : at.storeMicros(startedNanos);
  }

  /**
   * Takes it out of its line; false if it stands in none, or has ended already.
   *
   * @param partingNanos how long its call waits at most for the store to let go of its claim
   */
  public boolean leave(CallResult result, long partingNanos) {
    LocalQueue at = queue;
    return at != null && at.leave(this, result, partingNanos);
  }

  boolean isImmediate() {
    return waitNanos <= 0;
  }

  @Override
  public void fire(long nowNanos) {
    LocalQueue at = queue;
    CallResult end = parting;
    if (end != null) {
      outcome.complete(end);
    } else if (at != null) {
      at.timeOut(this);
    }
  }
}
