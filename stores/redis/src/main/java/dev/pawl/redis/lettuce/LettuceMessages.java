package dev.pawl.redis.lettuce;

import dev.pawl.redis.feed.Heartbeat;
import dev.pawl.redis.port.RedisErrors;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection on which a store hears messages.
 *
 * <p>Lettuce opens it again when it breaks, and subscribes again. What it cannot see is a server
 * that has stopped without closing: hence a {@link Heartbeat}, and a new connection, to another
 * server where there are several.
 */
final class LettuceMessages {

  private static final Logger LOG = LoggerFactory.getLogger(LettuceMessages.class);

  private final LettuceLink link;
  private final Duration timeout;
  private final ConcurrentMap<String, Channel> channels = new ConcurrentHashMap<>();
  private final ReentrantLock opening = new ReentrantLock();
  private volatile @Nullable StatefulRedisPubSubConnection<String, String> connection;
  private volatile boolean closed;

  LettuceMessages(LettuceLink link, Duration timeout) {
    this.link = link;
    this.timeout = timeout;
  }

  Runnable subscribe(String name, Consumer<String> onMessage, Runnable onMissed) {
    Channel channel = new Channel(onMessage, onMissed);
    channels.put(name, channel);
    try {
      await(connection().async().subscribe(name));
    } catch (RuntimeException e) {
      channels.remove(name, channel);
      throw e;
    }
    return () -> unsubscribe(name, channel);
  }

  private void unsubscribe(String name, Channel channel) {
    StatefulRedisPubSubConnection<String, String> current = connection;
    if (channels.remove(name, channel) && current != null && !closed) {
      var unused = current.async().unsubscribe(name);
    }
  }

  private StatefulRedisPubSubConnection<String, String> connection() {
    opening.lock();
    try {
      StatefulRedisPubSubConnection<String, String> current = connection;
      if (current == null) {
        current = await(link.connectPubSub());
        current.addListener(new Listener());
        connection = current;
        watch(current);
      }
      return current;
    } finally {
      opening.unlock();
    }
  }

  private void watch(StatefulRedisPubSubConnection<String, String> watched) {
    Heartbeat.watch(
        new Heartbeat.Watched() {
          @Override
          public boolean isUsed() {
            return !closed && connection == watched;
          }

          @Override
          public CompletionStage<?> probe() {
            return watched.async().ping();
          }

          @Override
          public void replace() {
            LettuceMessages.this.replace(watched);
          }
        });
  }

  private void replace(StatefulRedisPubSubConnection<String, String> silent) {
    LOG.warn("no messages from {}; connecting again", link.describe());
    var unused =
        link.connectPubSub()
            .whenComplete(
                (opened, error) -> {
                  if (error != null) {
                    Heartbeat.LATER.execute(() -> watch(silent));
                  } else {
                    use(opened);
                    LettuceLink.closeLater(closed ? opened : silent);
                  }
                });
  }

  private void use(StatefulRedisPubSubConnection<String, String> opened) {
    opened.addListener(new Listener());
    connection = opened;
    if (!channels.isEmpty()) {
      var unused = opened.async().subscribe(channels.keySet().toArray(String[]::new));
    }
    watch(opened);
  }

  void close() {
    closed = true;
    StatefulRedisPubSubConnection<String, String> current = connection;
    if (current != null) {
      current.close();
    }
  }

  private <T> T await(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw RedisErrors.notSent(link.describe(), e);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw LettucePort.typed(link.describe(), cause);
    } catch (TimeoutException e) {
      throw RedisErrors.notSent(link.describe(), e);
    }
  }

  /** Hands messages on; a second confirmation of a channel means that there was a gap. */
  private final class Listener extends RedisPubSubAdapter<String, String> {
    @Override
    public void message(String name, String message) {
      Channel channel = channels.get(name);
      if (channel != null) {
        channel.onMessage.accept(message);
      }
    }

    @Override
    public void subscribed(String name, long count) {
      Channel channel = channels.get(name);
      if (channel != null) {
        channel.onConfirmed();
      }
    }
  }

  private static final class Channel {
    private final Consumer<String> onMessage;
    private final Runnable onMissed;
    private volatile boolean confirmed;

    Channel(Consumer<String> onMessage, Runnable onMissed) {
      this.onMessage = onMessage;
      this.onMissed = onMissed;
    }

    void onConfirmed() {
      if (confirmed) {
        onMissed.run();
      }
      confirmed = true;
    }
  }
}
