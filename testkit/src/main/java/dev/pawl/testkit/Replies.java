package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what a store answers. */
final class Replies {

  /** A store that answers later than this is taken for one that does not answer. */
  private static final long ANSWER_SECONDS = 20;

  private Replies() {}

  static <T> T of(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError("the store failed: " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError("the store did not answer in " + ANSWER_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the store was to answer", e);
    }
  }

  static <R> R as(Class<R> kind, Object reply) {
    assertThat(reply).isInstanceOf(kind);
    return kind.cast(reply);
  }

  /** Throws what a stage failed with, as it is. */
  static void refused(CompletionStage<?> stage) {
    if (failureOf(stage) instanceof RuntimeException refusal) {
      throw refusal;
    }
  }

  static Throwable failureOf(CompletionStage<?> stage) {
    try {
      Object reply = stage.toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
      throw new AssertionError("the store should have failed, and answered " + reply);
    } catch (ExecutionException e) {
      Throwable failure = e;
      while (failure.getCause() != null
          && (failure instanceof ExecutionException || failure instanceof CompletionException)) {
        failure = failure.getCause();
      }
      return failure;
    } catch (TimeoutException e) {
      throw new AssertionError("the store did not answer in " + ANSWER_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while the store was to answer", e);
    }
  }
}
