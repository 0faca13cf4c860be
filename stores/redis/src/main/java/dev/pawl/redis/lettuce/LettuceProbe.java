package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisProbe;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** A server behind Lettuce. */
record LettuceProbe(
    String address, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>> connection)
    implements RedisProbe {

  @Override
  public CompletionStage<String> info() {
    return ask(RedisClusterAsyncCommands::info);
  }

  @Override
  public CompletionStage<String> setting(String name) {
    return ask(on -> on.configGet(name).thenApply(found -> found.getOrDefault(name, "")));
  }

  private CompletionStage<String> ask(
      Function<RedisClusterAsyncCommands<String, String>, CompletionStage<String>> question) {
    return connection
        .get()
        .thenCompose(question)
        .handle(
            (answer, error) -> {
              if (error == null) {
                return answer;
              }
              throw LettucePort.typed(address, RedisErrors.unwrap(error));
            });
  }
}
