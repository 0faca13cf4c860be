package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisPort.Replicated;
import dev.pawl.redis.store.Scripts;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I11 on the way of those who wait for replicas: it has connections of its own. */
class ReplicationFaultTest {

  private static CompletableFuture<Replicated> ask(RedisPort port) {
    return port.evalReplicated(Scripts.NOW, List.of("a"), List.of(), 1, Duration.ofMillis(10))
        .toCompletableFuture();
  }

  private static Throwable failure(RedisPort port) throws Exception {
    try {
      Replicated reply = ask(port).get(60, TimeUnit.SECONDS);
      throw new AssertionError("it answered " + reply);
    } catch (ExecutionException e) {
      return e.getCause();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatIsDownWhenItIsFirstAskedIsUnavailable(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=20s&client=" + client)) {
      server.kill();
      // The connection that Jedis has may have been lost with what was sent on it.
      Throwable first = failure(store.port());
      assertThat(client.equals("jedis") ? failure(store.port()) : first)
          .isInstanceOf(StoreUnavailableException.class);
      server.startAgain();
      assertThat(ask(store.port()).get(60, TimeUnit.SECONDS)).isNotNull();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aMasterThatHasStalledIsAskedAgain(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = RedisStore.open(cluster.url() + "?timeout=2s&client=" + client)) {
      awaitAnswer(store.port());
      cluster.servers().forEach(RedisServer::pause);
      assertThat(failure(store.port())).isInstanceOf(OutcomeUnknownException.class);
      assertThat(failure(store.port())).isInstanceOf(OutcomeUnknownException.class);
      cluster.servers().forEach(RedisServer::resume);
      awaitAnswer(store.port());
    }
  }

  /** Asks until there is an answer in time: a slow machine takes longer now and then. */
  private static void awaitAnswer(RedisPort port) throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (ask(port).handle((reply, error) -> error != null).get(60, TimeUnit.SECONDS)) {
      assertThat(System.nanoTime()).as("it is refused for good").isLessThan(end);
    }
  }
}
