package dev.pawl.redis.lettuce;

import dev.pawl.redis.port.Slots;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Connections to a cluster: each master has its own, so that one that stalls delays no other. */
final class LettuceCluster implements LettuceLink {

  private final RedisClusterClient client;
  private final String where;
  private final Reconnects reconnects;
  private final Runnable onClose;
  private final StatefulRedisClusterConnection<String, String> connection;
  private final Optional<LettuceShards> shards;
  private final LateConnection<StatefulRedisClusterConnection<String, String>> waiting;

  /** Opens them; with a URI, whose credentials and TLS are used, also those for shard channels. */
  LettuceCluster(
      RedisClusterClient client,
      Optional<RedisURI> uri,
      String where,
      Reconnects reconnects,
      Runnable onClose) {
    this.client = client;
    this.where = where;
    this.reconnects = reconnects;
    this.onClose = onClose;
    this.connection = client.connect(StringCodec.UTF8);
    this.waiting = new LateConnection<>(() -> client.connectAsync(StringCodec.UTF8));
    this.shards = uri.map(login -> new LettuceShards(client, login));
  }

  @Override
  public String describe() {
    return where;
  }

  @Override
  public RedisClusterAsyncCommands<String, String> commands() {
    return connection.async();
  }

  /**
   * Waits for a connection that is being opened. A command for a master that is not connected is
   * refused, so that none is sent twice; it is with the first one that Lettuce connects.
   */
  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> commands(String key) {
    RedisClusterNode node = client.getPartitions().getPartitionBySlot(Slots.of(key));
    if (node == null) {
      return CompletableFuture.completedFuture(commands());
    }
    return open(node).thenApply(opened -> commands());
  }

  private CompletableFuture<?> open(RedisClusterNode node) {
    return connection.getConnectionAsync(node.getUri().getHost(), node.getUri().getPort());
  }

  /** The cluster itself says where its masters are. */
  @Override
  public void onReadOnly(RedisClusterAsyncCommands<String, String> connection) {}

  @Override
  public CompletionStage<Void> opened() {
    return CompletableFuture.allOf(
        client.getPartitions().stream()
            .filter(node -> node.is(RedisClusterNode.NodeFlag.UPSTREAM))
            .map(node -> open(node).handle((done, error) -> 0))
            .toArray(CompletableFuture[]::new));
  }

  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(String key) {
    return waiting
        .get()
        .thenCompose(opened -> opened.getConnectionAsync(master(key)))
        .thenApply(node -> node.async());
  }

  @Override
  public CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(
      String host, int port) {
    return waiting
        .get()
        .thenCompose(opened -> opened.getConnectionAsync(host, port))
        .thenApply(node -> node.async());
  }

  @Override
  public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> connectPubSub() {
    return client.connectPubSubAsync(StringCodec.UTF8);
  }

  @Override
  public Optional<LettuceShards> shards() {
    return shards;
  }

  @Override
  public boolean clustered() {
    return true;
  }

  private String master(String key) {
    RedisClusterNode node = client.getPartitions().getPartitionBySlot(Slots.of(key));
    return node == null ? "?" : node.getNodeId();
  }

  @Override
  public Map<String, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>>>
      masters() {
    Map<String, Supplier<CompletionStage<RedisClusterAsyncCommands<String, String>>>> masters =
        new LinkedHashMap<>();
    for (RedisClusterNode node : client.getPartitions()) {
      if (node.is(RedisClusterNode.NodeFlag.UPSTREAM) && !node.getSlots().isEmpty()) {
        masters.put(
            node.getUri().getHost() + ":" + node.getUri().getPort(),
            () -> connection.getConnectionAsync(node.getNodeId()).thenApply(to -> to.async()));
      }
    }
    return masters;
  }

  @Override
  public Optional<Throwable> failure() {
    return reconnects.failure();
  }

  @Override
  public void close() {
    shards.ifPresent(LettuceShards::close);
    connection.close();
    waiting.close();
    onClose.run();
  }
}
