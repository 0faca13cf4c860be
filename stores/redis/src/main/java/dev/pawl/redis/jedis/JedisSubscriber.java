package dev.pawl.redis.jedis;

import dev.pawl.redis.feed.MessageLink;
import dev.pawl.redis.feed.OneServer;
import redis.clients.jedis.Connection;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.providers.ConnectionProvider;

/** A connection of Jedis for messages that all servers hear of. */
final class JedisSubscriber implements JedisReader.Wire {

  private final ConnectionProvider connections;
  private volatile JedisPubSub heard = new JedisPubSub() {};

  private JedisSubscriber(ConnectionProvider connections) {
    this.connections = connections;
  }

  static MessageLink link(ConnectionProvider connections, String where) {
    return new OneServer(
        where,
        (channel, listener) ->
            JedisReader.open(
                where, "pawl-redis-messages", new JedisSubscriber(connections), channel, listener));
  }

  @Override
  public Connection connect(String channel) {
    return connections.getConnection();
  }

  @Override
  public void read(Connection connection, String first, JedisReader reader) {
    JedisPubSub hearing =
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
    heard = hearing;
    hearing.proceed(connection, first);
  }

  @Override
  public void subscribe(String channel) {
    heard.subscribe(channel);
  }

  @Override
  public void unsubscribe(String channel) {
    heard.unsubscribe(channel);
  }
}
