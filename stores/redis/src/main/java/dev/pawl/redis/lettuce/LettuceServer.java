package dev.pawl.redis.lettuce;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Connections to one server, or to the master that Sentinel names. */
final class LettuceServer implements LettuceLink {

  /** How many acquires that wait for replicas go on at the same time. */
  private static final int WAITING_CONNECTIONS = 4;

  /** A server that is a replica for good is not left more often. */
  private static final long LEAVING_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private final RedisClient client;
  private final RedisURI uri;
  private final String where;
  private final Reconnects reconnects;
  private final Runnable onClose;
  private final StatefulRedisConnection<String, String> connection;
  private final List<LateConnection<StatefulRedisConnection<String, String>>> waiting;
  private final AtomicInteger turn = new AtomicInteger();
  private final AtomicLong leftNanos = new AtomicLong(System.nanoTime() - LEAVING_NANOS);
  private final CompletionStage<RedisClusterAsyncCommands<String, String>> commands;

  LettuceServer(
      RedisClient client, RedisURI uri, String where, Reconnects reconnects, Runnable onClose) {
    this.client = client;
    this.uri = uri;
    this.where = where;
    this.reconnects = reconnects;
    this.onClose = onClose;
    this.connection = connect();
    this.commands = CompletableFuture.completedFuture(connection.async());
    this.waiting =
        Stream.generate(
                () ->
                    new LateConnection<StatefulRedisConnection<String, String>>(this::connectLater))
            .limit(WAITING_CONNECTIONS)
            .toList();
  }

  /** Through Sentinel, a connection that follows the master; Sentinel's word is heard at once. */
  private StatefulRedisConnection<String, String> connect() {
    return uri.getSentinels().isEmpty()
        ? client.connect(StringCodec.UTF8, uri)
        : MasterReplica.connect(client, StringCodec.UTF8, uri);
  }

  private CompletionStage<StatefulRedisConnection<String, String>> connectLater() {
    return uri.getSentinels().isEmpty()
        ? client.connectAsync(StringCodec.UTF8, uri)
        : MasterReplica.connectAsync(client, StringCodec.UTF8, uri).thenApply(Function.identity());
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public RedisClusterAsyncCommands<String, String> commands() {
    return connection.async();
  }

  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> commands(String key) {
    return commands;
  }

  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(String key) {
    return waiting
        .get(Math.floorMod(turn.incrementAndGet(), waiting.size()))
        .get()
        .thenApply(StatefulRedisConnection::async);
  }

  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(
      String host, int port) {
    return CompletableFuture.failedFuture(new RedisConnectionException("there is one server"));
  }

  /**
   * Has the server close the connection, so that Lettuce opens another, to whatever the address
   * stands for now. Sentinel says by itself where the master is.
   */
  @Override
  public void onReadOnly(RedisClusterAsyncCommands<String, String> connection) {
    long now = System.nanoTime();
    long left = leftNanos.get();
    if (uri.getSentinels().isEmpty()
        && now - left >= LEAVING_NANOS
        && leftNanos.compareAndSet(left, now)) {
      var unused = connection.quit();
    }
  }

  @Override
  public CompletionStage<Void> opened() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> connectPubSub() {
    return client.connectPubSubAsync(StringCodec.UTF8, uri);
  }

  @Override
  public Optional<LettuceShards> shards() {
    return Optional.empty();
  }

  @Override
  public boolean clustered() {
    return false;
  }

  @Override
  public Map<String, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>>>
      masters() {
    String address =
        uri.getSentinels().isEmpty()
            ? uri.getHost() + ":" + uri.getPort()
            : "the master of " + uri.getSentinelMasterId();
    return Map.of(address, () -> CompletableFuture.completedFuture(commands()));
  }

  @Override
  public Optional<Throwable> failure() {
    return uri.getSentinels().isEmpty() ? reconnects.failure(uri) : reconnects.failure();
  }

  @Override
  public void close() {
    connection.close();
    waiting.forEach(LateConnection::close);
    onClose.run();
  }
}
