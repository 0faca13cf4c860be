package dev.pawl.bench.redis;

import dev.pawl.bench.peer.SpinningLocks;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Lettuce alone on several servers in parallel: {@code SET NX PX}, a majority, all answers. */
final class RawRedlock extends SpinningLocks {

  private final RedisClient client = RedisClient.create();
  private final List<StatefulRedisConnection<String, String>> connections = new ArrayList<>();
  private String unlock = "";

  RawRedlock(String addresses) {
    for (String address : addresses.split(",", -1)) {
      StatefulRedisConnection<String, String> connection = client.connect(RedisURI.create(address));
      connections.add(connection);
      unlock = connection.sync().scriptLoad(RawScripts.UNLOCK);
    }
  }

  @Override
  protected boolean take(String name, String owner) {
    SetArgs args = SetArgs.Builder.nx().px(RawScripts.LEASE_MILLIS);
    long votes = count(connection -> connection.async().set("raw:" + name, owner, args), "OK");
    if (votes > connections.size() / 2) {
      return true;
    }
    free(name, owner);
    return false;
  }

  @Override
  protected void free(String name, String owner) {
    String[] keys = {"raw:" + name};
    count(
        connection -> connection.async().evalsha(unlock, ScriptOutputType.INTEGER, keys, owner),
        1L);
  }

  /** Asks all, and counts those who answer so. */
  private long count(
      Function<StatefulRedisConnection<String, String>, CompletionStage<?>> question,
      Object answer) {
    List<CompletionStage<?>> sent = new ArrayList<>();
    connections.forEach(connection -> sent.add(question.apply(connection)));
    return sent.stream().filter(reply -> answer.equals(reply.toCompletableFuture().join())).count();
  }

  @Override
  public void close() {
    client.shutdown();
  }
}
