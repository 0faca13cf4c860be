package dev.pawl.redis.lettuce;

import dev.pawl.redis.feed.ShardLink;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.Slots;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Connections of Lettuce to single masters, for the messages of their shard channels.
 *
 * <p>They are not those of its client of a cluster: one of these, when it is connected again,
 * subscribes to all its shard channels in one command, which a server refuses if they are of
 * several slots.
 */
final class LettuceShards implements ShardLink {

  private final RedisClusterClient cluster;
  private final RedisURI login;
  private final RedisClient client;

  /** Uses the credentials and TLS of a URI: those of the client are its own secret. */
  LettuceShards(RedisClusterClient cluster, RedisURI login) {
    this.cluster = cluster;
    this.login = login;
    this.client = RedisClient.create(cluster.getResources());
    client.setOptions(cluster.getOptions().mutate().autoReconnect(false).build());
  }

  @Override
  public @Nullable String master(int slot) {
    RedisClusterNode node = cluster.getPartitions().getMasterBySlot(slot);
    return node == null ? null : address(node);
  }

  private static String address(RedisClusterNode node) {
    return node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  @Override
  public CompletionStage<Void> refresh() {
    return cluster.refreshPartitionsAsync();
  }

  @Override
  public CompletionStage<Line> open(String channel, Listener listener) {
    RedisClusterNode node = cluster.getPartitions().getMasterBySlot(Slots.of(channel));
    if (node == null) {
      return CompletableFuture.failedFuture(
          RedisErrors.notSent(channel, new IllegalStateException("nobody has its slot")));
    }
    String where = address(node);
    return typed(where, client.connectPubSubAsync(StringCodec.UTF8, withLogin(node.getUri())))
        .thenCompose(
            opened -> {
              opened.addListener(new Heard(listener));
              opened.addListener(new Disconnected(listener));
              MasterLine line = new MasterLine(opened, where);
              return line.subscribe(channel)
                  .<Line>thenApply(done -> line)
                  .whenComplete(
                      (done, error) -> {
                        if (error != null) {
                          line.close();
                        }
                      });
            });
  }

  private RedisURI withLogin(RedisURI node) {
    RedisURI uri = RedisURI.create(node.getHost(), node.getPort());
    uri.applyAuthentication(login);
    uri.applySsl(login);
    uri.setTimeout(login.getTimeout());
    return uri;
  }

  private static <T> CompletionStage<T> typed(String where, CompletionStage<T> stage) {
    return stage
        .<CompletionStage<T>>handle(
            (value, error) ->
                error == null
                    ? CompletableFuture.completedFuture(value)
                    : CompletableFuture.failedFuture(
                        LettucePort.typed(where, RedisErrors.unwrap(error))))
        .thenCompose(Function.identity());
  }

  /** Closes all connections. */
  void close() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }

  private record MasterLine(StatefulRedisPubSubConnection<String, String> connection, String where)
      implements Line {

    @Override
    public CompletionStage<Void> subscribe(String channel) {
      return typed(where, connection.async().ssubscribe(channel));
    }

    @Override
    public void unsubscribe(String channel) {
      var unused = connection.async().sunsubscribe(channel);
    }

    @Override
    public void close() {
      LettuceLink.closeLater(connection);
    }
  }

  private static final class Heard extends RedisPubSubAdapter<String, String> {
    private final Listener listener;

    Heard(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void smessage(String channel, String message) {
      listener.onMessage(channel, message);
    }

    @Override
    public void sunsubscribed(String channel, long count) {
      listener.onUnsubscribed(channel);
    }
  }

  private static final class Disconnected extends RedisConnectionStateAdapter {
    private final Listener listener;

    Disconnected(Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
      listener.onClosed();
    }
  }
}
