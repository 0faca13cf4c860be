package dev.pawl.redis.lettuce;

import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.Unreachable;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Supplier;

/** What failures of Lettuce mean. */
final class LettuceErrors {

  private LettuceErrors() {}

  /** Returns the stage with its failure typed. */
  static <T> CompletionStage<T> typed(String where, CompletionStage<T> stage) {
    return typed(where, stage, Optional::empty);
  }

  /**
   * Returns the stage with its failure typed.
   *
   * @param reconnecting why there is no connection, if it is known
   */
  static <T> CompletionStage<T> typed(
      String where, CompletionStage<T> stage, Supplier<Optional<Throwable>> reconnecting) {
    return stage
        .<CompletionStage<T>>handle(
            (value, error) ->
                error == null
                    ? CompletableFuture.completedFuture(value)
                    : CompletableFuture.failedFuture(
                        typed(where, RedisErrors.unwrap(error), reconnecting)))
        .thenCompose(Function.identity());
  }

  /** Returns what one of Lettuce's exceptions means. */
  static RuntimeException typed(
      String where, Throwable error, Supplier<Optional<Throwable>> reconnecting) {
    if (isRejection(error)) {
      return refused(where, error, reconnecting.get());
    }
    if (error instanceof RedisCommandExecutionException) {
      return RedisErrors.answered(where, error.getMessage(), error);
    }
    if (error instanceof RedisConnectionException || error instanceof PartitionSelectorException) {
      return RedisErrors.notSent(where, error);
    }
    return error instanceof PawlException known ? known : RedisErrors.noAnswer(where, error);
  }

  /** Whatever the reason is, a later attempt may do better: those who wait go on waiting. */
  private static StoreUnavailableException refused(
      String where, Throwable rejection, Optional<Throwable> failure) {
    return new StoreUnavailableException(
        failure
            .map(each -> noConnection(where, each, RedisErrors::notSent).getMessage())
            .orElse(where + " is not connected; that is tried again, check whether Redis runs"),
        failure.orElse(rejection));
  }

  /** Returns why there is no first connection. */
  static RuntimeException atFirst(String where, RedisException error) {
    return noConnection(where, error, RedisErrors::notConnected);
  }

  /** An error answer at the handshake, such as a wrong password, is wrapped in one of I/O. */
  private static PawlException noConnection(
      String where, Throwable error, BiFunction<String, Throwable, PawlException> otherwise) {
    return Unreachable.find(error, each -> each instanceof RedisCommandExecutionException)
        .map(answer -> RedisErrors.answered(where, answer.getMessage(), answer))
        .orElseGet(() -> otherwise.apply(where, error));
  }

  /** Lettuce has no type for a command that it did not even try to send. */
  static boolean isRejection(Throwable error) {
    String message = error.getMessage();
    return error.getClass() == RedisException.class
        && message != null
        && (message.contains("not connected") || message.contains("Connection is closed"));
  }
}
