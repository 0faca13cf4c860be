package dev.pawl.redis.port;

import java.util.concurrent.CompletionStage;

/** One server, as it is looked at by whoever examines it. Failures are already typed. */
public interface RedisProbe {

  /** Returns where it is, as {@code host:port}. */
  String address();

  /** Returns what {@code INFO} says, all usual sections. */
  CompletionStage<String> info();

  /** Returns a setting, as {@code CONFIG GET} has it; empty if there is none of that name. */
  CompletionStage<String> setting(String name);
}
