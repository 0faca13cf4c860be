package dev.pawl.bench.redis;

import dev.pawl.bench.peer.SpinningLocks;
import java.net.URI;
import java.util.List;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.params.SetParams;

/** Jedis alone: {@code SET NX PX}, and compare and delete. */
final class RawJedis extends SpinningLocks {

  private static final int CONNECTIONS = 64;

  private final UnifiedJedis jedis;
  private final String unlock;

  RawJedis(String address) {
    jedis = connect(address);
    unlock = jedis.scriptLoad(RawScripts.UNLOCK);
  }

  /** Opens a pool of the size that Pawl's has. */
  static UnifiedJedis connect(String address) {
    URI uri = URI.create(address);
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(CONNECTIONS);
    pool.setMaxIdle(CONNECTIONS);
    return RedisClient.builder()
        .hostAndPort(new HostAndPort(uri.getHost(), uri.getPort()))
        .poolConfig(pool)
        .build();
  }

  @Override
  protected boolean take(String name, String owner) {
    SetParams params = SetParams.setParams().nx().px(RawScripts.LEASE_MILLIS);
    return jedis.set("raw-jedis:" + name, owner, params) != null;
  }

  @Override
  protected void free(String name, String owner) {
    List<String> keys = List.of("raw-jedis:" + name);
    RawScripts.checkFreed(jedis.evalsha(unlock, keys, List.of(owner)), name);
  }

  @Override
  public void close() {
    jedis.close();
  }
}
