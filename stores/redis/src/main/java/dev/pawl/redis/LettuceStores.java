package dev.pawl.redis;

import dev.pawl.redis.lettuce.LettucePorts;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;

/** Stores over a client of Lettuce that the application has. */
public final class LettuceStores {

  private LettuceStores() {}

  /**
   * Opens a store over a client that the caller owns; the URI may name Sentinels.
   *
   * <p>The store uses the client's threads and its options but one: a command is never sent again
   * when a connection breaks, since the first copy may arrive when its claim has ended. The engine
   * repeats what is to be repeated.
   */
  public static RedisStore over(RedisClient client, RedisURI uri, RedisOptions options) {
    return new RedisStore(LettucePorts.over(client, uri, options.commandTimeout()), options);
  }

  /**
   * Opens a store over a client of a cluster that the caller owns. Messages to waiters go by way of
   * all servers, since Lettuce does not tell how it logs in; with a URI they need not.
   *
   * @throws IllegalArgumentException if the client sends commands again when a connection breaks,
   *     as it does by default: its {@code disconnectedBehavior} must be {@code REJECT_COMMANDS}
   */
  public static RedisStore over(RedisClusterClient client, RedisOptions options) {
    return new RedisStore(LettucePorts.over(client), options);
  }

  /**
   * Opens a store over a client of a cluster that the caller owns. It opens connections of its own
   * to the masters; of the client it uses the threads, and the options as {@link #over(RedisClient,
   * RedisURI, RedisOptions)} does.
   *
   * @param uri of any server; its credentials and TLS are used for all
   */
  public static RedisStore over(RedisClusterClient client, RedisURI uri, RedisOptions options) {
    return new RedisStore(LettucePorts.over(client, uri, options.commandTimeout()), options);
  }
}
