package dev.pawl.redis;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.LongAdder;

/** A port that counts the scripts it runs. */
final class CountingPort extends ForwardingPort {

  private final ConcurrentMap<String, LongAdder> counts = new ConcurrentHashMap<>();

  CountingPort(RedisPort port) {
    super(port);
  }

  long count(String file) {
    return counts.getOrDefault(file, new LongAdder()).sum();
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    counts.computeIfAbsent(script.file(), file -> new LongAdder()).increment();
    return super.eval(script, keys, args);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    counts.computeIfAbsent(script.file(), file -> new LongAdder()).increment();
    return super.evalReplicated(script, keys, args, replicas, timeout);
  }
}
