package dev.pawl.redis;

import io.lettuce.core.RedisClient;
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
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/** Connections to one server, or to the master that Sentinel names. */
final class LettuceServer implements LettuceLink {

  /** How many acquires that wait for replicas go on at the same time. */
  private static final int WAITING_CONNECTIONS = 4;

  private final RedisClient client;
  private final RedisURI uri;
  private final String where;
  private final Runnable onClose;
  private final StatefulRedisConnection<String, String> connection;
  private final ReentrantLock opening = new ReentrantLock();
  private final List<StatefulRedisConnection<String, String>> waiting =
      new CopyOnWriteArrayList<>();
  private final AtomicInteger turn = new AtomicInteger();

  LettuceServer(RedisClient client, RedisURI uri, String where, Runnable onClose) {
    this.client = client;
    this.uri = uri;
    this.where = where;
    this.onClose = onClose;
    this.connection = connect();
  }

  /** Through Sentinel, a connection that follows the master; Sentinel's word is heard at once. */
  private StatefulRedisConnection<String, String> connect() {
    return uri.getSentinels().isEmpty()
        ? client.connect(StringCodec.UTF8, uri)
        : MasterReplica.connect(client, StringCodec.UTF8, uri);
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
  public CompletionStage<RedisClusterAsyncCommands<String, String>> waitingCommands(String key) {
    if (waiting.size() < WAITING_CONNECTIONS) {
      opening.lock();
      try {
        if (waiting.size() < WAITING_CONNECTIONS) {
          waiting.add(connect());
        }
      } finally {
        opening.unlock();
      }
    }
    int index = Math.floorMod(turn.incrementAndGet(), waiting.size());
    return CompletableFuture.completedFuture(waiting.get(index).async());
  }

  @Override
  public CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> connectPubSub() {
    return client.connectPubSubAsync(StringCodec.UTF8, uri);
  }

  @Override
  public Optional<ShardMessages> shards() {
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
  public void close() {
    connection.close();
    waiting.forEach(StatefulRedisConnection::close);
    onClose.run();
  }
}
