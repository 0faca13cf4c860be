package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
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
    private Runnable closing = () -> {};

    @SuppressWarnings("deprecation") // What is made by a builder cannot be extended.
    LosingClient(RedisServer server) {
      super(new PooledConnectionProvider(new HostAndPort("127.0.0.1", server.port())));
    }

    @Override
    public Object eval(String script, List<String> keys, List<String> args) {
      super.eval(script, keys, args);
      closing.run();
      throw new JedisConnectionException("Unexpected end of stream.");
    }
  }

  @Test
  void whatJedisHasSentMayHaveArrived() throws Exception {
    try (RedisServer server = RedisServer.start();
        LosingClient client = new LosingClient(server);
        JedisPort port = new JedisPort(client, server.url(), () -> {})) {
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
    AtomicInteger sent = new AtomicInteger();
    return (LettuceLink)
        Proxy.newProxyInstance(
            LettuceLink.class.getClassLoader(),
            new Class<?>[] {LettuceLink.class},
            (proxy, method, args) -> {
              if (method.getName().equals("commands") && sent.incrementAndGet() > 1) {
                throw new RedisException("Connection is closed");
              }
              return method.invoke(link, args);
            });
  }
}
