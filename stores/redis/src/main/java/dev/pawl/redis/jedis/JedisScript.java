package dev.pawl.redis.jedis;

import dev.pawl.redis.port.RedisPort.Replicated;
import dev.pawl.redis.port.ScriptCall;
import dev.pawl.redis.port.Slots;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * How Jedis sends a script, once: on one connection to the server that has the key.
 *
 * <p>The client's own way of running commands is not used: it may be set to send one again when a
 * connection breaks, and the first copy may arrive when its claim has ended (I5). Nor is its
 * pipeline for a cluster, which keeps an error of the connection to itself, and goes on asking a
 * master whose slot has moved.
 */
record JedisScript(UnifiedJedis client) implements ScriptCall.Sender {

  @Override
  public CompletionStage<Replicated> send(
      ScriptCall call, boolean byDigest, ScriptCall.@Nullable Redirection to) {
    try {
      return CompletableFuture.completedFuture(run(call, byDigest, to));
    } catch (JedisException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private Replicated run(ScriptCall call, boolean byDigest, ScriptCall.@Nullable Redirection to) {
    try (AbstractPipeline pipeline = pipeline(call.keys().get(0), to)) {
      if (to != null && to.asking()) {
        pipeline.sendCommand(Protocol.Command.ASKING, new String[0]);
      }
      Response<Object> answer =
          byDigest
              ? pipeline.evalsha(call.script().sha(), call.keys(), call.args())
              : pipeline.eval(call.script().text(), call.keys(), call.args());
      @Nullable Response<Long> waited =
          call.replicas() == 0
              ? null
              : pipeline.waitReplicas(
                  call.keys().get(0), call.replicas(), call.timeout().toMillis());
      pipeline.sync();
      return new Replicated(list(answer.get()), waited == null ? 0 : waited.get());
    }
  }

  private static Object list(Object answer) {
    return answer instanceof List<?> ? answer : List.of(answer);
  }

  private AbstractPipeline pipeline(String key, ScriptCall.@Nullable Redirection to) {
    if (!(client instanceof RedisClusterClient cluster)) {
      return client.pipelined();
    }
    if (to != null && to.asking()) {
      return new Pipeline(pool(cluster, key, to).getResource(), true);
    }
    if (to != null) {
      learnMaster(cluster, key);
    }
    try {
      return new Pipeline(cluster.getConnectionFromSlot(Slots.of(key)), true);
    } catch (JedisConnectionException e) {
      learnMaster(cluster, key); // For whoever repeats it.
      throw e;
    }
  }

  private static ConnectionPool pool(
      RedisClusterClient cluster, String key, ScriptCall.Redirection to) {
    String target = to.host() + ":" + to.port();
    ConnectionPool known = cluster.getClusterNodes().get(target);
    if (known == null) {
      learnMaster(cluster, key);
      known = cluster.getClusterNodes().get(target);
    }
    if (known == null) {
      throw new JedisClusterOperationException(target + " is not known yet");
    }
    return known;
  }

  /** Jedis learns that a slot is elsewhere by a command for it outside of a pipeline. */
  private static void learnMaster(RedisClusterClient cluster, String key) {
    try {
      cluster.get(key);
    } catch (JedisException e) {
      // Whether it is known now is seen by what is sent next.
    }
  }
}
