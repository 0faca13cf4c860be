package dev.pawl.engine.link;

import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.time.Timed;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Something asked of the store: answered within the time of a call, or failed (I8). One that
 * changes nothing is asked again when the store fails or does not answer, as an acquire is.
 */
public final class Question<T> extends Timed {

  private final StoreLink link;
  private final Function<LockStore, CompletionStage<T>> question;
  private final boolean repeats;
  private final long endNanos;
  private final CompletableFuture<T> answer = new CompletableFuture<>();
  private final AtomicInteger sent = new AtomicInteger();
  private volatile @Nullable Throwable failure;

  /** Whether it stands in line for a thread: a second copy would only make the line longer. */
  private volatile boolean inLine;

  private Question(
      StoreLink link, boolean repeats, Function<LockStore, CompletionStage<T>> question) {
    this.link = link;
    this.question = question;
    this.repeats = repeats;
    this.endNanos = link.now() + link.pace().responseNanos();
  }

  /** Asks what changes nothing, again and again if need be. */
  public static <T> CompletableFuture<T> ask(
      StoreLink link, boolean mayBlock, Function<LockStore, CompletionStage<T>> question) {
    return new Question<>(link, true, question).start(mayBlock);
  }

  /** Asks for what must not be done twice. */
  public static <T> CompletableFuture<T> askOnce(
      StoreLink link, boolean mayBlock, Function<LockStore, CompletionStage<T>> question) {
    return new Question<>(link, false, question).start(mayBlock);
  }

  private CompletableFuture<T> start(boolean mayBlock) {
    link.onAsked(this);
    link.timers().set(this, repeats ? nextNanos(link.pace().attemptNanos()) : endNanos);
    send(mayBlock);
    return answer;
  }

  private void send(boolean mayBlock) {
    sent.incrementAndGet();
    inLine = true;
    link.whenDone(
        link.call(
            mayBlock,
            store -> {
              inLine = false;
              return question.apply(store);
            }),
        this::onAnswer);
  }

  private void onAnswer(@Nullable T value, @Nullable Throwable error) {
    if (error == null) {
      link.onAnswered(this);
      answer.complete(value);
      return;
    }
    inLine = false;
    failure = Failures.unwrap(error);
    if (answer.isDone()) {
      return;
    }
    if (repeats && Failures.isOfTheStore(error) && !link.isClosed()) {
      link.timers().set(this, nextNanos(link.pace().retryDelay(sent.get())));
    } else {
      fail(Failures.unwrap(error));
    }
  }

  /** Returns when to look again, which is no later than the end. */
  private long nextNanos(long delayNanos) {
    long next = link.now() + delayNanos;
    return next - endNanos < 0 ? next : endNanos;
  }

  private void fail(Throwable error) {
    link.onAnswered(this);
    answer.completeExceptionally(error);
  }

  /** Fails it because the node is closed. */
  void abandon() {
    fail(link.closedException());
  }

  @Override
  public void fire(long nowNanos) {
    if (answer.isDone()) {
      return;
    }
    if (nowNanos - endNanos >= 0) {
      Throwable last = failure;
      fail(
          last != null
              ? last
              : new StoreUnavailableException("no answer from " + link.store().describe(), null));
      return;
    }
    link.timers().set(this, nextNanos(link.pace().attemptNanos()));
    if (!inLine) {
      send(false);
    }
  }
}
