package dev.pawl.engine;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A release or a cancel on its way to the store, repeated until it is answered or the lease it is
 * about is over anyway.
 */
final class Ending<R> extends Timed {

  private final Engine engine;
  private final String name;
  private final Function<LockStore, CompletionStage<R>> command;
  private final long giveUpNanos;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private int sent;

  Ending(
      Engine engine,
      String name,
      long lastsNanos,
      Function<LockStore, CompletionStage<R>> command) {
    this.engine = engine;
    this.name = name;
    this.command = command;
    this.giveUpNanos = engine.now() + lastsNanos + engine.responseNanos();
  }

  /** Completes with the store's answer, or fails when nobody will try any more. */
  CompletableFuture<R> answer() {
    return answer;
  }

  void send(boolean mayBlock) {
    sent++;
    engine.whenDone(engine.call(mayBlock, command), this::onAnswer);
    if (!answer.isDone() && sent == 1) {
      engine.timers().set(this, engine.now() + engine.attemptNanos());
      if (answer.isDone()) {
        engine.timers().cancel(this);
      }
    }
  }

  private void onAnswer(@Nullable R reply, @Nullable Throwable error) {
    if (error == null) {
      if (answer.complete(reply)) {
        engine.onEnded(this);
      }
    } else if (!Failures.isOfTheStore(error)) {
      giveUp(error);
    } else {
      engine.timers().set(this, engine.now() + engine.retryDelay(sent));
    }
  }

  private void giveUp(Throwable error) {
    if (answer.completeExceptionally(error)) {
      engine.onEnded(this);
      engine.onStoreFailed(name, "release", error);
    }
  }

  @Override
  void fire(long now, RenewalBatch batch) {
    if (answer.isDone()) {
      return;
    }
    if (now - giveUpNanos >= 0) {
      giveUp(
          new OutcomeUnknownException(
              "no answer to the release of " + Names.quote(name) + "; its lease is over by now",
              null));
    } else {
      engine.timers().set(this, now + engine.attemptNanos());
      send(false);
    }
  }
}
