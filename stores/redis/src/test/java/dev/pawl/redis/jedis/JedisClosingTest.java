package dev.pawl.redis.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Calls that are under way when a store is closed: each of them ends, and says what is known. */
class JedisClosingTest {

  private static final Script SET = Script.of("set.lua", "return redis.call('SET', KEYS[1], 1).ok");

  private static Throwable failure(RedisPort port) throws Exception {
    try {
      Object reply =
          port.eval(SET, List.of("a"), List.of()).toCompletableFuture().get(60, TimeUnit.SECONDS);
      throw new AssertionError("it answered " + reply);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  /** A client that is closed, and its connections with it, while an answer is on its way. */
  private static final class LosingClient extends UnifiedJedis {
    private final PooledConnectionProvider connections;
    private Runnable closing = () -> {};

    LosingClient(RedisServer server) {
      this(
          new PooledConnectionProvider(
              new HostAndPort("127.0.0.1", server.port()), JedisPoolTest.PATIENT));
    }

    @SuppressWarnings("deprecation") // What is made by a builder cannot be extended.
    private LosingClient(PooledConnectionProvider connections) {
      super(connections);
      this.connections = connections;
    }

    @Override
    public Pipeline pipelined() {
      return new Pipeline(connections.getConnection(), true) {
        @Override
        public void sync() {
          super.sync();
          closing.run();
          throw new JedisConnectionException("Unexpected end of stream.");
        }
      };
    }
  }

  @Test
  void whatJedisHasSentMayHaveArrived() throws Exception {
    try (RedisServer server = RedisServer.start();
        LosingClient client = new LosingClient(server);
        JedisPort port = new JedisPort(client, server.url(), () -> {})) {
      server.call("SCRIPT", "LOAD", SET.text());
      client.closing = port::close;
      assertThat(failure(port)).isInstanceOf(OutcomeUnknownException.class);
      assertThat(server.call("GET", "a")).as("it did arrive").isEqualTo("1");
      assertThat(failure(port)).isInstanceOf(StoreUnavailableException.class);
    }
  }
}
