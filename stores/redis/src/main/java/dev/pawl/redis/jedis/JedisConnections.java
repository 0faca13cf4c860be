package dev.pawl.redis.jedis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ClusterConnectionProvider;
import redis.clients.jedis.providers.ConnectionProvider;
import redis.clients.jedis.providers.PooledConnectionProvider;
import redis.clients.jedis.providers.SentineledConnectionProvider;
import redis.clients.jedis.util.Pool;

/**
 * Where a client has its connections from.
 *
 * <p>Whoever subscribes by {@link UnifiedJedis#subscribe} cannot say what becomes of the connection
 * then: after an error answer it is back in the pool, and still subscribed. Some clients give their
 * connections away and some do not; all of them have this field, which is there for subclasses.
 */
final class JedisConnections {

  /** One for messages, and one for everything else. */
  private static final int ENOUGH = 2;

  /** In a cluster a server may be listened to for messages of both kinds. */
  private static final int ENOUGH_OF_A_CLUSTER = 3;

  private static final VarHandle PROVIDER = field();

  private JedisConnections() {}

  private static VarHandle field() {
    try {
      return MethodHandles.privateLookupIn(UnifiedJedis.class, MethodHandles.lookup())
          .findVarHandle(UnifiedJedis.class, "provider", ConnectionProvider.class);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("this version of Jedis is not known", e);
    }
  }

  /** Returns what gives away the connections of a client. */
  static ConnectionProvider of(UnifiedJedis client) {
    if (PROVIDER.get(client) instanceof ConnectionProvider known) {
      return known;
    }
    throw new IllegalArgumentException(
        "this client has no pool of connections, of which messages keep one; use one that has");
  }

  /** Refuses a client with which the connection for messages would leave none for commands. */
  static void check(UnifiedJedis client) {
    ConnectionProvider provider = of(client);
    int enough = provider instanceof ClusterConnectionProvider ? ENOUGH_OF_A_CLUSTER : ENOUGH;
    for (Object each : pools(provider)) {
      if (each instanceof Pool<?> pool && pool.getMaxTotal() >= 0 && pool.getMaxTotal() < enough) {
        throw new IllegalArgumentException(
            "the maxTotal of this client's pool is "
                + pool.getMaxTotal()
                + ", and messages would leave no connection for commands; it must be "
                + enough
                + " or more");
      }
    }
  }

  /** Other kinds may have to connect for the answer. */
  private static Collection<? extends @Nullable Object> pools(ConnectionProvider provider) {
    return provider instanceof PooledConnectionProvider
            || provider instanceof SentineledConnectionProvider
            || provider instanceof ClusterConnectionProvider
        ? provider.getConnectionMap().values()
        : List.of();
  }
}
