package dev.pawl.redis.jedis;

import dev.pawl.redis.port.RedisPort.Replicated;
import dev.pawl.redis.port.Script;
import dev.pawl.redis.port.Slots;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
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
 * A script over Jedis, with {@code WAIT} behind it where replicas are waited for: on one connection
 * to the server that has the key, and sent once.
 *
 * <p>The client's own way of running commands is not used: it may be set to send one again when a
 * connection breaks, and the first copy may arrive when its claim has ended (I5). Nor is its
 * pipeline for a cluster, which keeps an error of the connection to itself, and goes on asking a
 * master whose slot has moved.
 *
 * @param replicas how many replicas to wait for; zero for none
 */
record JedisScript(
    Script script, List<String> keys, List<String> args, int replicas, Duration timeout) {

  /** Runs it; fails as Jedis does. */
  Replicated run(UnifiedJedis client) {
    return client instanceof RedisClusterClient cluster
        ? runAtMaster(cluster)
        : run(client::pipelined, false);
  }

  private Replicated runAtMaster(RedisClusterClient cluster) {
    int slot = Slots.of(keys.get(0));
    Supplier<Pipeline> master = () -> new Pipeline(cluster.getConnectionFromSlot(slot), true);
    try {
      return run(master, false);
    } catch (JedisMovedDataException e) {
      learnMaster(cluster);
      return run(master, false);
    } catch (JedisAskDataException e) {
      ConnectionPool next = pool(cluster, e);
      return run(() -> new Pipeline(next.getResource(), true), true);
    } catch (JedisConnectionException e) {
      if (JedisPort.isBeforeSending(e)) {
        learnMaster(cluster); // For whoever repeats it.
      }
      throw e;
    }
  }

  private ConnectionPool pool(RedisClusterClient cluster, JedisAskDataException answer) {
    String target = answer.getTargetNode().toString();
    ConnectionPool known = cluster.getClusterNodes().get(target);
    if (known == null) {
      learnMaster(cluster);
      known = cluster.getClusterNodes().get(target);
    }
    if (known == null) {
      throw answer;
    }
    return known;
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
      @Nullable Response<Long> waited =
          replicas == 0 ? null : pipeline.waitReplicas(keys.get(0), replicas, timeout.toMillis());
      pipeline.sync();
      return new Replicated(JedisPort.list(answer.get()), waited == null ? 0 : waited.get());
    }
  }
}
