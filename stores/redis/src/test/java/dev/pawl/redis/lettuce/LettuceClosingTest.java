package dev.pawl.redis.lettuce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Script;
import dev.pawl.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Calls that are under way when a store is closed: each of them ends, and says what is known. */
class LettuceClosingTest {

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

  @Test
  void aScriptThatLettuceCannotSendAgainHadNoEffect() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create();
        LettucePort port = new LettucePort(closedAfterOne(client, server))) {
      // The server does not know it, and says so.
      assertThat(failure(port)).isInstanceOf(StoreUnavailableException.class);
      assertThat(server.call("EXISTS", "a")).isEqualTo(0L);
    }
  }

  /** A link that is closed when one command was sent, as Lettuce's behind Sentinel says it. */
  private static LettuceLink closedAfterOne(RedisClient client, RedisServer server) {
    RedisURI uri = RedisURI.create(server.url());
    LettuceServer link = new LettuceServer(client, uri, server.url(), new Reconnects(), () -> {});
    return proxy(
        LettuceLink.class,
        (method, args) -> {
          Object result = method.invoke(link, args);
          return method.getName().equals("commands") && result instanceof CompletionStage<?> stage
              ? stage.thenApply(LettuceClosingTest::closedBeforeTheText)
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
