package dev.pawl.redis.lettuce;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.feed.OneServer;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateAdapter;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;

/**
 * A connection of Lettuce for messages. Lettuce would open it again by itself, and does not see one
 * that is silent: whoever uses it is told that it is gone, and opens another.
 *
 * @param where the server, for messages
 * @param sharded whether its channels are shard channels
 */
record LettuceConnection(
    StatefulRedisPubSubConnection<String, String> connection, String where, boolean sharded)
    implements MessageLink.Connection {

  /** Opens those for messages that all servers hear of. */
  static OneServer.Opening toAnyServer(LettuceLink link) {
    return (channel, listener) ->
        open(link.connectPubSub(), link.describe(), false, channel, listener);
  }

  /** Opens one, with its first channel. */
  static CompletionStage<MessageLink.Connection> open(
      CompletionStage<? extends StatefulRedisPubSubConnection<String, String>> connecting,
      String where,
      boolean sharded,
      String channel,
      MessageLink.Listener listener) {
    return LettuceErrors.typed(
            where, connecting.thenApply(opened -> new LettuceConnection(opened, where, sharded)))
        .thenCompose(
            opened -> {
              opened.connection.addListener(new Heard(listener));
              opened.connection.addListener(new Disconnected(listener));
              return opened
                  .subscribe(channel)
                  .<MessageLink.Connection>thenApply(done -> opened)
                  .whenComplete(
                      (done, error) -> {
                        if (error != null) {
                          opened.close();
                        }
                      });
            });
  }

  @Override
  public CompletionStage<Void> subscribe(String channel) {
    return LettuceErrors.typed(
        where,
        sharded ? connection.async().ssubscribe(channel) : connection.async().subscribe(channel));
  }

  @Override
  public void unsubscribe(String channel) {
    var unused =
        sharded
            ? connection.async().sunsubscribe(channel)
            : connection.async().unsubscribe(channel);
  }

  @Override
  public void close() {
    LettuceLink.closeLater(connection);
  }

  private static final class Heard extends RedisPubSubAdapter<String, String> {
    private final MessageLink.Listener listener;

    Heard(MessageLink.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void message(String channel, String message) {
      listener.onMessage(channel, message);
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
    private final MessageLink.Listener listener;

    Disconnected(MessageLink.Listener listener) {
      this.listener = listener;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
      listener.onClosed();
    }
  }
}
