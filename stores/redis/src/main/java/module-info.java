/**
 * Locks in Redis, behind Sentinel, in a cluster, and over several servers (Redlock). What a client
 * library does for them, and the scripts, are not exported.
 */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"})
module dev.pawl.redis {
  requires transitive dev.pawl;
  requires static org.jspecify;
  requires org.slf4j;

  // Neither client library has a descriptor, and each has a name of its own in its manifest.
  // Lettuce comes with this module. Jedis is brought by the application that uses it, which
  // requires it too; not transitive, since nobody could compile without it otherwise.
  requires transitive lettuce.core;
  requires static redis.clients.jedis;

  // Lettuce's: a future of its event loop, and how it looks names up.
  requires io.netty.common;
  requires io.netty.resolver;
  requires io.netty.resolver.dns;
  requires io.netty.transport;

  // Jedis's: the settings of its pool.
  requires static org.apache.commons.pool2;

  exports dev.pawl.redis;

  provides dev.pawl.spi.StoreProvider with
      dev.pawl.redis.RedisStoreProvider,
      dev.pawl.redis.RedlockStoreProvider;
}
