package dev.pawl.redis.lettuce;

import dev.pawl.redis.feed.Messages;
import dev.pawl.redis.feed.OneServer;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisProbe;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.port.ScriptCall;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The port over Lettuce: one connection a server for all threads, answers on its event loop. */
final class LettucePort implements RedisPort {

  private static final int SCAN_COUNT = 1_000;

  private final LettuceLink link;
  private final LettuceScript scripts;
  private final Messages messages;
  private final Optional<Messages> shards;
  private volatile boolean closed;

  LettucePort(LettuceLink link) {
    this.link = link;
    this.scripts = new LettuceScript(link);
    this.messages =
        new Messages(
            link.describe(), new OneServer(link.describe(), LettuceConnection.toAnyServer(link)));
    this.shards = link.shards().map(shards -> new Messages(link.describe(), shards));
  }

  @Override
  public String describe() {
    return link.describe();
  }

  @Override
  public boolean blocking() {
    return false;
  }

  @Override
  public boolean clustered() {
    return link.clustered();
  }

  @Override
  public CompletionStage<Object> eval(Script script, List<String> keys, List<String> args) {
    ScriptCall call = ScriptCall.of(script, keys, args);
    return typed(() -> call.run(scripts, clustered()).thenApply(Replicated::answer));
  }

  @Override
  public CompletionStage<Replicated> evalReplicated(
      Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {
    ScriptCall call = new ScriptCall(script, keys, args, replicas, timeout);
    return typed(() -> call.run(scripts, clustered()));
  }

  /** Whatever is thrown is what the stage fails with. */
  private <T> CompletionStage<T> typed(Supplier<CompletionStage<T>> sending) {
    if (closed) {
      return CompletableFuture.failedFuture(RedisErrors.closed(describe()));
    }
    try {
      return LettuceErrors.typed(describe(), sending.get(), link::failure);
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(LettuceErrors.typed(describe(), e, link::failure));
    }
  }

  @Override
  public List<RedisProbe> probes() {
    return link.masters().entrySet().stream()
        .map(master -> probe(master.getKey(), master.getValue()))
        .toList();
  }

  private static RedisProbe probe(
      String address, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>> server) {
    return new RedisProbe(
        address,
        () ->
            LettuceErrors.typed(address, server.get().thenCompose(RedisClusterAsyncCommands::info)),
        name -> LettuceErrors.typed(address, server.get().thenCompose(on -> on.configGet(name))));
  }

  @Override
  public CompletionStage<List<String>> scan(String pattern) {
    ScanArgs args = ScanArgs.Builder.matches(pattern).limit(SCAN_COUNT);
    List<String> found = new ArrayList<>();
    return typed(() -> link.commands().scan(args).thenCompose(at -> goOn(at, args, found)));
  }

  private CompletionStage<List<String>> goOn(
      KeyScanCursor<String> cursor, ScanArgs args, List<String> found) {
    found.addAll(cursor.getKeys());
    return cursor.isFinished()
        ? CompletableFuture.completedFuture(found)
        : link.commands().scan(cursor, args).thenCompose(next -> goOn(next, args, found));
  }

  @Override
  public Subscription subscribe(String channel, Consumer<String> onMessage, Runnable onMissed) {
    return messages.subscribe(List.of(channel), onMessage, onMissed);
  }

  @Override
  public Subscription subscribeSharded(
      List<String> channels, Consumer<String> onMessage, Runnable onMissed) {
    return shards
        .map(each -> each.subscribe(channels, onMessage, onMissed))
        .orElse(Subscription.NONE);
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      shards.ifPresent(Messages::close);
      messages.close();
      link.close();
    }
  }
}
