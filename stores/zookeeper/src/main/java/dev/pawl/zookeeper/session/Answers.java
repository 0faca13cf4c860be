package dev.pawl.zookeeper.session;

import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers that depend on answers. */
public final class Answers {

  private Answers() {}

  /** Goes on with an answer or a failure, one of which is null, to the next answer. */
  public static <T, R> CompletableFuture<R> then(
      CompletableFuture<T> answer,
      BiFunction<@Nullable T, @Nullable Throwable, CompletableFuture<R>> next) {
    CompletableFuture<R> result = new CompletableFuture<>();
    var unused =
        answer.whenComplete((value, error) -> pass(begun(() -> next.apply(value, error)), result));
    return result;
  }

  /** Begins something, and has what it throws fail its answer. */
  public static <T> CompletableFuture<T> begun(Supplier<CompletableFuture<T>> step) {
    try {
      return step.get();
    } catch (RuntimeException | Error e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Passes an answer on to another. */
  public static <T> void pass(CompletableFuture<T> answer, CompletableFuture<T> to) {
    var unused =
        answer.whenComplete(
            (value, error) -> {
              if (error == null) {
                to.complete(value);
              } else {
                to.completeExceptionally(Errors.unwrap(error));
              }
            });
  }

  /** Goes on with a failure. */
  public static <T> CompletableFuture<T> failed(@Nullable Throwable error) {
    return CompletableFuture.failedFuture(
        error == null ? new IllegalStateException("no answer") : Errors.unwrap(error));
  }
}
