package dev.pawl.redis.lettuce;

import dev.pawl.PawlException;
import dev.pawl.redis.port.RedisErrors;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PartitionSelectorException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What failures of Lettuce mean. */
final class LettuceErrors {

  private LettuceErrors() {}

  /** Returns the stage with its failure typed. */
  static <T> CompletionStage<T> typed(String where, CompletionStage<T> stage) {
    return stage
        .<CompletionStage<T>>handle(
            (value, error) ->
                error == null
                    ? CompletableFuture.completedFuture(value)
                    : CompletableFuture.failedFuture(typed(where, RedisErrors.unwrap(error))))
        .thenCompose(Function.identity());
  }

  /** Returns what one of Lettuce's exceptions means. */
  static RuntimeException typed(String where, Throwable error) {
    if (error instanceof RedisCommandExecutionException) {
      return RedisErrors.answered(where, error.getMessage(), error);
    }
    if (error instanceof RedisConnectionException
        || error instanceof PartitionSelectorException
        || isRejection(error)) {
      return RedisErrors.notSent(where, error);
    }
    return error instanceof PawlException known ? known : RedisErrors.noAnswer(where, error);
  }

  /** Lettuce has no type for a command that it did not even try to send. */
  static boolean isRejection(Throwable error) {
    String message = error.getMessage();
    return error.getClass() == RedisException.class
        && message != null
        && (message.contains("not connected") || message.contains("Connection is closed"));
  }
}
