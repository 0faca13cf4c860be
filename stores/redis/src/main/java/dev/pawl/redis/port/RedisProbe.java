package dev.pawl.redis.port;

import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * One server, as it is looked at by whoever examines it. Failures are already typed.
 *
 * @param address where it is, as {@code host:port}
 * @param asking for what {@code INFO} says
 * @param askingFor what {@code CONFIG GET} says of a name
 */
public record RedisProbe(
    String address,
    Supplier<CompletionStage<String>> asking,
    Function<String, CompletionStage<Map<String, String>>> askingFor) {

  /** Returns what {@code INFO} says, all usual sections. */
  public CompletionStage<String> info() {
    return asking.get();
  }

  /** Returns a setting, as {@code CONFIG GET} has it; empty if there is none of that name. */
  public CompletionStage<String> setting(String name) {
    return askingFor.apply(name).thenApply(found -> found.getOrDefault(name, ""));
  }
}
