package dev.pawl.engine;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Something asked of the store that changes nothing: answered in time, or failed (I8). */
final class Question<T> extends Timed {

  private final Engine engine;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  private Question(Engine engine) {
    this.engine = engine;
  }

  static <T> CompletableFuture<T> ask(
      Engine engine, boolean mayBlock, Function<LockStore, CompletionStage<T>> question) {
    Question<T> asked = new Question<>(engine);
    engine.onAsked(asked);
    engine.whenDone(
        engine.call(mayBlock, question),
        (value, error) -> {
          engine.onAnswered(asked);
          if (error == null) {
            asked.answer.complete(value);
          } else {
            asked.answer.completeExceptionally(Failures.unwrap(error));
          }
        });
    return asked.answer;
  }

  /** Fails it because the node is closed. */
  void abandon() {
    engine.onAnswered(this);
    answer.completeExceptionally(engine.closedException());
  }

  @Override
  void fire(long nowNanos, RenewalBatch batch) {
    engine.onAnswered(this);
    answer.completeExceptionally(
        new StoreUnavailableException("no answer from " + engine.store().describe(), null));
  }
}
