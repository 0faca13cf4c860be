package dev.pawl.redis;

import dev.pawl.redis.RedisPort.Replicated;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisAskDataException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisException;
import redis.clients.jedis.exceptions.JedisMovedDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/**
 * A script with {@code WAIT} behind it, over Jedis: both on one connection, which is what the wait
 * is about, to the server that has the key.
 *
 * <p>Jedis has a pipeline for a cluster as well. That one keeps an error of the connection to
 * itself, and goes on asking a master whose slot has moved.
 */
record JedisReplication(
    Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {

  /** Runs it; fails as Jedis does. */
  Replicated run(UnifiedJedis client) {
    return client instanceof RedisClusterClient cluster
        ? runAtMaster(cluster)
        : run(client::pipelined, false);
  }

  private Replicated runAtMaster(RedisClusterClient cluster) {
    int slot = RedisKeys.slot(keys.get(0));
    Supplier<Pipeline> master = () -> new Pipeline(cluster.getConnectionFromSlot(slot), true);
    try {
      return run(master, false);
    } catch (JedisMovedDataException e) {
      learnMaster(cluster);
      return run(master, false);
    } catch (JedisAskDataException e) {
      ConnectionPool next = cluster.getClusterNodes().get(e.getTargetNode().toString());
      if (next == null) {
        throw e;
      }
      return run(() -> new Pipeline(next.getResource(), true), true);
    } catch (JedisConnectionException e) {
      if (JedisPort.isBeforeSending(e)) {
        learnMaster(cluster); // For whoever repeats it.
      }
      throw e;
    }
  }

  /** Jedis learns that a slot is elsewhere by a command for it outside of a pipeline. */
  private void learnMaster(RedisClusterClient cluster) {
    try {
      cluster.get(keys.get(0));
    } catch (JedisException e) {
      // Whether it is known now is seen by what is sent next.
    }
  }

  /** By its digest, and by its text where that is not known. */
  private Replicated run(Supplier<? extends AbstractPipeline> opening, boolean asking) {
    try {
      return run(opening, asking, true);
    } catch (JedisNoScriptException e) {
      return run(opening, asking, false);
    }
  }

  private Replicated run(
      Supplier<? extends AbstractPipeline> opening, boolean asking, boolean digest) {
    try (AbstractPipeline pipeline = opening.get()) {
      if (asking) {
        pipeline.sendCommand(Protocol.Command.ASKING, new String[0]);
      }
      Response<Object> answer =
          digest
              ? pipeline.evalsha(script.sha(), keys, args)
              : pipeline.eval(script.text(), keys, args);
      Response<Long> waited = pipeline.waitReplicas(keys.get(0), replicas, timeout.toMillis());
      pipeline.sync();
      return new Replicated(JedisPort.list(answer.get()), waited.get());
    }
  }
}
