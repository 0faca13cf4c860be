package dev.pawl.engine.link;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.engine.time.Timed;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A release or a cancel on its way to the store, repeated until it is answered or the lease it is
 * about has expired anyway.
 */
public final class Ending<R> extends Timed {

  private final StoreLink link;
  private final String name;
  private final long leaseNanos;
  private final Function<LockStore, CompletionStage<R>> command;
  private final CompletableFuture<R> answer = new CompletableFuture<>();
  private volatile long giveUpNanos;
  private final AtomicInteger sent = new AtomicInteger();

  /** Whether the engine remembers it, because it was not answered at once. */
  private volatile boolean remembered;

  /** Whether it stands in line for a thread: a second copy would only make the line longer. */
  private volatile boolean inLine;

  /**
   * Makes it, to be sent.
   *
   * @param leaseNanos how long the lease lasts at the most that it is about
   */
  public Ending(
      StoreLink link,
      String name,
      long leaseNanos,
      Function<LockStore, CompletionStage<R>> command) {
    this.link = link;
    this.name = name;
    this.leaseNanos = leaseNanos;
    this.command = command;
  }

  /** Completes with the store's answer, or fails when nobody will try any more. */
  public CompletableFuture<R> answer() {
    return answer;
  }

  /**
   * Tells whether it was sent more than once. Then an answer that the claim is gone says nothing:
   * an earlier copy may have seen to it.
   */
  public boolean isRepeated() {
    return sent.get() > 1;
  }

  public void send(boolean mayBlock) {
    boolean first = sent.incrementAndGet() == 1;
    if (first) {
      giveUpNanos = link.now() + leaseNanos + link.pace().responseNanos();
    }
    inLine = true;
    link.whenDone(link.call(mayBlock, this::apply), this::onAnswer);
    if (first && !answer.isDone()) {
      remembered = true;
      link.onUnanswered(this);
      // It may have failed by now, and be about to be sent again sooner.
      link.timers().setNoLater(this, link.now() + link.pace().attemptNanos());
      if (answer.isDone()) {
        link.onEnded(this);
      }
    }
  }

  private CompletionStage<R> apply(LockStore store) {
    inLine = false;
    return command.apply(store);
  }

  private void onAnswer(@Nullable R reply, @Nullable Throwable error) {
    inLine = false; // It may have failed for want of a thread, and not been sent at all.
    if (error == null) {
      if (answer.complete(reply) && remembered) {
        link.onEnded(this);
      }
    } else if (!Failures.isOfTheStore(error)) {
      giveUp(error);
    } else {
      link.timers().set(this, link.now() + link.pace().retryDelay(sent.get()));
    }
  }

  private void giveUp(Throwable error) {
    if (answer.completeExceptionally(error)) {
      link.onEnded(this);
      link.failed(name, "release", error);
    }
  }

  /** Tries no more, because the node is closed. */
  void abandon() {
    giveUp(
        new OutcomeUnknownException(
            "no answer to the release of "
                + Names.quote(name)
                + " before the node was closed; it ends with its lease at the latest",
            null));
  }

  @Override
  public void fire(long now) {
    if (answer.isDone()) {
      return;
    }
    if (now - giveUpNanos >= 0) {
      giveUp(
          new OutcomeUnknownException(
              "no answer to the release of " + Names.quote(name) + "; its lease has expired by now",
              null));
    } else {
      link.timers().set(this, now + link.pace().attemptNanos());
      if (!inLine) {
        send(false);
      }
    }
  }
}
