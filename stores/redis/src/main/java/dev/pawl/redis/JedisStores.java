package dev.pawl.redis;

import dev.pawl.redis.jedis.JedisPorts;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/** Stores over a client of Jedis that the application has; its calls block. */
@SuppressWarnings("exports") // Of Jedis: whoever calls this has it.
public final class JedisStores {

  private JedisStores() {}

  /**
   * Opens a store over a client that the caller owns: pooled, behind Sentinel or a {@link
   * RedisClusterClient}. The client's own timeouts are the store's. Its attempts are not: a script
   * is sent once, whatever the client is set to.
   *
   * <p>One connection is kept for messages, in a cluster one more to each master.
   *
   * @throws IllegalArgumentException if it is the older client of a cluster, or if its pool has no
   *     connection left for commands: its {@code maxTotal} must be 2 or more, in a cluster 3
   */
  public static RedisStore over(UnifiedJedis client, RedisOptions options) {
    return new RedisStore(JedisPorts.over(client), options);
  }
}
