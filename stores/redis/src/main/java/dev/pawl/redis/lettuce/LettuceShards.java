package dev.pawl.redis.lettuce;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.Slots;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Connections of Lettuce to single masters, for the messages of their shard channels.
 *
 * <p>They are not those of its client of a cluster: one of these, when it is connected again,
 * subscribes to all its shard channels in one command, which a server refuses if they are of
 * several slots.
 */
final class LettuceShards implements MessageLink {

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
  public @Nullable String server(String channel) {
    RedisClusterNode node = master(channel);
    return node == null ? null : address(node);
  }

  private @Nullable RedisClusterNode master(String channel) {
    return cluster.getPartitions().getMasterBySlot(Slots.of(channel));
  }

  private static String address(RedisClusterNode node) {
    return node.getUri().getHost() + ":" + node.getUri().getPort();
  }

  @Override
  public CompletionStage<Void> refresh() {
    return cluster.refreshPartitionsAsync();
  }

  @Override
  public CompletionStage<Connection> open(String channel, Listener listener) {
    RedisClusterNode node = master(channel);
    return node == null
        ? CompletableFuture.failedFuture(
            RedisErrors.notSent(channel, new IllegalStateException("nobody has its slot")))
        : LettuceConnection.open(
            client.connectPubSubAsync(StringCodec.UTF8, withLogin(node.getUri())),
            address(node),
            true,
            channel,
            listener);
  }

  private RedisURI withLogin(RedisURI node) {
    RedisURI uri = RedisURI.create(node.getHost(), node.getPort());
    uri.applyAuthentication(login);
    uri.applySsl(login);
    uri.setTimeout(login.getTimeout());
    return uri;
  }

  /** Closes all connections. */
  void close() {
    client.shutdown(0, 2, TimeUnit.SECONDS);
  }
}
