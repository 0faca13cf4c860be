package dev.pawl.redis;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A port that passes everything on to another. */
public abstract class ForwardingPort implements RedisPort {

  private final RedisPort port;

  protected ForwardingPort(RedisPort port) {
    this.port = port;
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    return port.eval(script, keys, args);
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    return port.evalReplicated(script, keys, args, replicas, timeout);
  }

  @Override
  public String describe() {
    return port.describe();
  }

  @Override
  public boolean blocking() {
    return port.blocking();
  }

  @Override
  public boolean clustered() {
    return port.clustered();
  }

  @Override
  public List<RedisProbe> probes() {
    return port.probes();
  }

  @Override
  public CompletionStage<List<String>> scan(String pattern) {
    return port.scan(pattern);
  }

  @Override
  public Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    return port.subscribe(channel, onMessage, onMissed);
  }

  @Override
  public Subscription subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    return port.subscribeSharded(channels, onMessage, onMissed);
  }

  @Override
  public void close() {
    port.close();
  }
}
