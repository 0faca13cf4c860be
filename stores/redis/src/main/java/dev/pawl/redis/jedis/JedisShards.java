package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.ShardLink;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.Slots;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisShardedPubSub;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Connections of Jedis to single masters, for the messages of their shard channels, each with a
 * thread that reads it.
 */
final class JedisShards implements ShardLink {

  private static final Logger LOG = LoggerFactory.getLogger(JedisShards.class);

  private final RedisClusterClient client;
  private final JedisSlots slots;
  private final String where;

  JedisShards(RedisClusterClient client, JedisSlots slots, String where) {
    this.client = client;
    this.slots = slots;
    this.where = where;
  }

  @Override
  public @Nullable String master(int slot) {
    return slots.master(slot);
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
  public CompletionStage<Line> open(String channel, Listener listener) {
    Reader reader = new Reader(channel, listener);
    Thread thread = new Thread(reader, "pawl-redis-shard");
    thread.setDaemon(true);
    thread.start();
    return reader.opened;
  }

  /** One connection, from the first channel's confirmation until it is closed or has none left. */
  private final class Reader extends JedisShardedPubSub implements Line, Runnable {
    private final CompletableFuture<Line> opened = new CompletableFuture<>();
    private final ConcurrentMap<String, CompletableFuture<Void>> asked = new ConcurrentHashMap<>();
    private final String first;
    private final Listener listener;
    private volatile @Nullable Connection connection;

    Reader(String first, Listener listener) {
      this.first = first;
      this.listener = listener;
    }

    @Override
    public void run() {
      RuntimeException end = RedisErrors.closed(where);
      try {
        // It is only by a command for the slot that Jedis learns of a slot that has moved.
        client.get(first);
        try (Connection used = client.getConnectionFromSlot(Slots.of(first))) {
          connection = used;
          read(used);
        }
      } catch (JedisException e) {
        end = JedisPort.typed(where, e, true);
      } finally {
        connection = null;
        RuntimeException failure = end;
        boolean wasOpen = !opened.completeExceptionally(failure);
        asked.values().forEach(each -> each.completeExceptionally(failure));
        if (wasOpen) {
          listener.onClosed();
        }
      }
    }

    private void read(Connection used) {
      try {
        proceed(used, first);
      } finally {
        if (isSubscribed()) {
          used.setBroken(); // It is not to be used for anything else.
        }
      }
    }

    @Override
    public CompletionStage<Void> subscribe(String channel) {
      CompletableFuture<Void> answer =
          asked.computeIfAbsent(channel, name -> new CompletableFuture<>());
      try {
        ssubscribe(channel);
      } catch (JedisException e) {
        answer.completeExceptionally(JedisPort.typed(where, e, true));
      }
      if (connection == null) {
        answer.completeExceptionally(RedisErrors.closed(where));
      }
      return answer;
    }

    @Override
    public void unsubscribe(String channel) {
      try {
        sunsubscribe(channel);
      } catch (JedisException e) {
        LOG.debug("unsubscribe from {}: {}", where, e.toString());
      }
    }

    @Override
    public void close() {
      Connection used = connection;
      if (used != null) {
        try {
          used.forceDisconnect();
        } catch (IOException e) {
          LOG.debug("close {}: {}", where, e.toString());
        }
      }
    }

    @Override
    public void onSSubscribe(String channel, int count) {
      opened.complete(this);
      CompletableFuture<Void> answer = asked.remove(channel);
      if (answer != null) {
        answer.complete(null);
      }
    }

    @Override
    public void onSUnsubscribe(String channel, int count) {
      listener.onUnsubscribed(channel);
    }

    @Override
    public void onSMessage(String channel, String message) {
      listener.onMessage(channel, message);
    }
  }
}
