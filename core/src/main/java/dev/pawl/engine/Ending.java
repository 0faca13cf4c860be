package dev.pawl.engine;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A release or a cancel on its way to the store, repeated until it is answered or the lease it is
 * about is over anyway.
 */
final class Ending<R> extends Timed {

  private final Engine engine;
  private final Request request;
  private final Function<LockStore, CompletionStage<R>> command;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private volatile long giveUpNanos;
  private final AtomicInteger sent = new AtomicInteger();

  /** Whether the engine remembers it, because it was not answered at once. */
  private volatile boolean remembered;

  /** Whether it stands in line for a thread: a second copy would only make the line longer. */
  private volatile boolean inLine;

  Ending(Engine engine, Request request, Function<LockStore, CompletionStage<R>> command) {
    this.engine = engine;
    this.request = request;
    this.command = command;
  }

  /** Completes with the store's answer, or fails when nobody will try any more. */
  CompletableFuture<R> answer() {
    return answer;
  }

  /**
   * Tells whether it was sent more than once. Then an answer that the claim is gone says nothing:
   * an earlier copy may have seen to it.
   */
  boolean isRepeated() {
    return sent.get() > 1;
  }

  void send(boolean mayBlock) {
    boolean first = sent.incrementAndGet() == 1;
    if (first) {
      giveUpNanos =
          engine.now() + request.options().lease().toNanos() + engine.pace().responseNanos();
    }
    inLine = true;
    engine.whenDone(engine.call(mayBlock, this::apply), this::onAnswer);
    if (first && !answer.isDone()) {
      remembered = true;
      engine.onUnanswered(this);
      // It may have failed by now, and be about to be sent again sooner.
      engine.timers().setNoLater(this, engine.now() + engine.pace().attemptNanos());
      if (answer.isDone()) {
        engine.onEnded(this);
      }
    }
  }

  private CompletionStage<R> apply(LockStore store) {
    inLine = false;
    return command.apply(store);
  }

  private void onAnswer(@Nullable R reply, @Nullable Throwable error) {
    if (error == null) {
      if (answer.complete(reply) && remembered) {
        engine.onEnded(this);
      }
    } else if (!Failures.isOfTheStore(error)) {
      giveUp(error);
    } else {
      engine.timers().set(this, engine.now() + engine.pace().retryDelay(sent.get()));
    }
  }

  private void giveUp(Throwable error) {
    if (answer.completeExceptionally(error)) {
      engine.onEnded(this);
      engine.events().storeFailed(request.name(), "release", error);
    }
  }

  /** Tries no more, because the node is closed. */
  void abandon() {
    giveUp(
        new OutcomeUnknownException(
            "no answer to the release of "
                + Names.quote(request.name())
                + " before the node was closed; it ends with its lease at the latest",
            null));
  }

  @Override
  void fire(long now, RenewalBatch batch) {
    if (answer.isDone()) {
      return;
    }
    if (now - giveUpNanos >= 0) {
      giveUp(
          new OutcomeUnknownException(
              "no answer to the release of "
                  + Names.quote(request.name())
                  + "; its lease is over by now",
              null));
    } else {
      engine.timers().set(this, now + engine.pace().attemptNanos());
      if (!inLine) {
        send(false);
      }
    }
  }
}
