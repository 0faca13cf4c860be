package dev.pawl.engine;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One call that waits for a lease: a thread, or a future. */
final class Waiter extends Timed {

  static final long NO_DEADLINE = Long.MAX_VALUE;

  final Request request;

  /** The thread that waits, or none if a future does. */
  final @Nullable Thread thread;

  /** Whether the lease will belong to the thread, which must not end without releasing it. */
  final boolean threadOwned;

  final long startedNanos;

  /** How long it waits, or {@link #NO_DEADLINE}; zero is now or never. */
  final long waitNanos;

  final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
  volatile @Nullable LocalQueue queue;

  /** Where the call was made, if the node remembers that. */
  @Nullable Throwable trace;

  /** The line it stands in, and its neighbours there; guarded by the queue. */
  @Nullable Line line;

  @Nullable Waiter ahead;
  @Nullable Waiter behind;

  /** It waits for the store's next answer only, its own time being up; guarded by the queue. */
  boolean overdue;

  /** How its call ends as soon as the store has let go of its claim, or at its next timer. */
  volatile @Nullable Outcome parting;

  Waiter(
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

  boolean isImmediate() {
    return waitNanos <= 0;
  }

  @Override
  void fire(long nowNanos, RenewalBatch batch) {
    LocalQueue at = queue;
    Outcome end = parting;
    if (end != null) {
      outcome.complete(end);
    } else if (at != null) {
      at.timeOut(this);
    }
  }
}
