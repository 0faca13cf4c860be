package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** Calls that are under way when a store is closed: each of them ends, and says what is known. */
class RedisClosingTest {

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
      this(new PooledConnectionProvider(new HostAndPort("127.0.0.1", server.port())));
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

  @Test
  void aScriptThatLettuceCannotSendAgainHadNoEffect() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create();
        LettucePort port =
            new LettucePort(closedAfterOne(client, server), Duration.ofSeconds(20))) {
      // The server does not know it, and says so.
      assertThat(failure(port)).isInstanceOf(StoreUnavailableException.class);
      assertThat(server.call("EXISTS", "a")).isEqualTo(0L);
    }
  }

  /** A link that is closed when one command was sent, as Lettuce's behind Sentinel says it. */
  private static LettuceLink closedAfterOne(RedisClient client, RedisServer server) {
    RedisURI uri = RedisURI.create(server.url());
    LettuceServer link = new LettuceServer(client, uri, server.url(), () -> {});
    return proxy(
        LettuceLink.class,
        (method, args) -> {
          Object result = method.invoke(link, args);
          return method.getName().equals("commands") && result instanceof CompletionStage<?> stage
              ? stage.thenApply(RedisClosingTest::closedBeforeTheText)
              : result;
        });
  }

  private static Object closedBeforeTheText(Object commands) {
    return proxy(
        RedisClusterAsyncCommands.class,
        (method, args) -> {
          if (method.getName().equals("eval")) {
            throw new RedisException("Connection is closed");
          }
          return method.invoke(commands, args);
        });
  }

  /** What a method of a proxy does. */
  private interface Behaviour {
    Object call(Method method, Object[] args) throws Exception;
  }

  private static <T> T proxy(Class<T> type, Behaviour behaviour) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, args) -> behaviour.call(method, args)));
  }
}
