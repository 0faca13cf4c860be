package dev.pawl.spring;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A lease that is closed when the last of those who need it is done. */
final class Hold {

  private final Lease lease;
  private final AtomicInteger users = new AtomicInteger(1);

  Hold(Lease lease) {
    this.lease = lease;
  }

  /** Gives up a lease that was asked for; if it was granted at the last moment, it is closed. */
  static void giveUp(CompletableFuture<Lease> asked, Executor closer) {
    if (!asked.cancel(true)) {
      var unused = asked.thenAcceptAsync(Lease::close, closer);
    }
  }

  Lease lease() {
    return lease;
  }

  /** Has it held for one more, by one who has it. */
  Hold share() {
    users.incrementAndGet();
    return this;
  }

  void done() {
    if (users.decrementAndGet() == 0) {
      lease.close();
    }
  }

  /** Ends a call that threw: what the close has to say goes with that. */
  void done(Throwable failure) {
    try {
      done();
    } catch (RuntimeException e) {
      if (!(failure instanceof LeaseLostException)) {
        failure.addSuppressed(e);
      }
    }
  }

  /**
   * Is done when that stage has completed; returns the one that completes afterwards. The release
   * is a round trip: not in the thread that completes the stage, which may be an event loop, even
   * that of the store's own client.
   */
  CompletionStage<?> until(CompletionStage<?> stage, Executor releases) {
    return isDone(stage)
        ? stage.whenComplete(this::ended)
        : stage.whenCompleteAsync(this::ended, releases);
  }

  /** A minimal stage, such as that of {@code completedStage(…)}, does not say. */
  private static boolean isDone(CompletionStage<?> stage) {
    try {
      return stage instanceof CompletableFuture<?> future && future.isDone();
    } catch (UnsupportedOperationException e) {
      return false;
    }
  }

  private void ended(@Nullable Object value, @Nullable Throwable error) {
    if (error == null) {
      done();
    } else {
      done(error);
    }
  }
}
