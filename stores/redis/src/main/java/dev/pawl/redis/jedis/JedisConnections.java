package dev.pawl.redis.jedis;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.ConnectionProvider;

/**
 * Where a client has its connections from.
 *
 * <p>Whoever subscribes by {@link UnifiedJedis#subscribe} cannot say what becomes of the connection
 * then: after an error answer it is back in the pool, and still subscribed. Some clients give their
 * connections away and some do not; all of them have this field, which is there for subclasses.
 */
final class JedisConnections {

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
}
