package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.feed.OneServer;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.UnifiedJedis;

/**
 * A connection of Jedis for messages that all servers hear of.
 *
 * <p>Jedis does not let go of a connection that is read. One that is silent is left to its thread,
 * which ends when its connection does, or at the first thing that it hears.
 */
final class JedisSubscriber implements JedisReader.Wire {

  private final UnifiedJedis client;
  private volatile JedisPubSub heard = new JedisPubSub() {};

  private JedisSubscriber(UnifiedJedis client) {
    this.client = client;
  }

  static MessageLink link(UnifiedJedis client, String where) {
    return new OneServer(
        where,
        (channel, listener) ->
            JedisReader.open(
                where, "pawl-redis-messages", new JedisSubscriber(client), channel, listener));
  }

  @Override
  public void read(String first, JedisReader reader) {
    heard =
        new JedisPubSub() {
          @Override
          public void onSubscribe(String channel, int count) {
            reader.onSubscribed(channel);
          }

          @Override
          public void onMessage(String channel, String message) {
            reader.onMessage(channel, message);
          }
        };
    client.subscribe(heard, first);
  }

  @Override
  public void subscribe(String channel) {
    heard.subscribe(channel);
  }

  @Override
  public void unsubscribe(String channel) {
    heard.unsubscribe(channel);
  }

  @Override
  public boolean disconnect() {
    boolean subscribed = heard.isSubscribed();
    if (subscribed) {
      heard.unsubscribe();
    }
    return subscribed;
  }
}
