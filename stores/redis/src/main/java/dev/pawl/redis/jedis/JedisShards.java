package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.port.Slots;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;

/** Connections of Jedis to single masters, for the messages of their shard channels. */
record JedisShards(RedisClusterClient client, JedisSlots slots, String where)
    implements MessageLink {

  private static final Logger LOG = LoggerFactory.getLogger(JedisShards.class);

  @Override
  public @Nullable String server(String channel) {
    return slots.master(Slots.of(channel));
  }

  @Override
  public CompletionStage<Void> refresh() {
    try {
      slots.refresh();
    } catch (JedisException e) {
      LOG.debug("{} does not tell who has which slot", where, e);
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<Connection> open(String channel, Listener listener) {
    return JedisReader.open(where, "pawl-redis-shard", new Subscriber(client), channel, listener);
  }

  private static final class Subscriber implements JedisReader.Wire {
    private final RedisClusterClient client;
    private volatile JedisShardedPubSub heard = new JedisShardedPubSub() {};

    Subscriber(RedisClusterClient client) {
      this.client = client;
    }

    @Override
    public redis.clients.jedis.Connection connect(String channel) {
      // It is only by a command for the slot that Jedis learns of a slot that has moved.
      client.get(channel);
      return client.getConnectionFromSlot(Slots.of(channel));
    }

    @Override
    public void read(redis.clients.jedis.Connection connection, String first, JedisReader reader) {
      JedisShardedPubSub hearing =
          new JedisShardedPubSub() {
            @Override
            public void onSSubscribe(String channel, int count) {
              reader.onSubscribed(channel);
            }

            @Override
            public void onSUnsubscribe(String channel, int count) {
              reader.onUnsubscribed(channel);
            }

            @Override
            public void onSMessage(String channel, String message) {
              reader.onMessage(channel, message);
            }
          };
      heard = hearing;
      hearing.proceed(connection, first);
    }

    @Override
    public void subscribe(String channel) {
      heard.ssubscribe(channel);
    }

    @Override
    public void unsubscribe(String channel) {
      heard.sunsubscribe(channel);
    }
  }
}
