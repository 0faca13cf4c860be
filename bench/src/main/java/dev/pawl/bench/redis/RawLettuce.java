package dev.pawl.bench.redis;

import dev.pawl.bench.peer.SpinningLocks;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;

/** Lettuce alone: {@code SET NX PX}, and compare and delete. */
final class RawLettuce extends SpinningLocks {

  private final RedisClient client;
  private final StatefulRedisConnection<String, String> connection;
  private final String unlock;

  RawLettuce(String address) {
    client = RedisClient.create(address);
    connection = client.connect();
    unlock = connection.sync().scriptLoad(RawScripts.UNLOCK);
  }

  @Override
  protected boolean take(String name, String owner) {
    SetArgs args = SetArgs.Builder.nx().px(RawScripts.LEASE_MILLIS);
    return connection.sync().set("raw-lettuce:" + name, owner, args) != null;
  }

  @Override
  protected void free(String name, String owner) {
    String[] keys = {"raw-lettuce:" + name};
    Long freed = connection.sync().evalsha(unlock, ScriptOutputType.INTEGER, keys, owner);
    RawScripts.checkFreed(freed, name);
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
