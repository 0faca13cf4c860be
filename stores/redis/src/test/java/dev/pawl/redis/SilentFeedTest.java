package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.redis.jedis.JedisPorts;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection for messages on which nothing comes any more: silent, closed or refused. */
class SilentFeedTest {

  private static RedisPort open(int port, String client) {
    RedisUrl url = RedisUrl.parse("redis://127.0.0.1:" + port);
    RedisOptions options = RedisOptions.DEFAULT.withCommandTimeout(Duration.ofSeconds(30));
    return client.equals("jedis")
        ? JedisPorts.open(url, options.commandTimeout())
        : LettucePorts.open(url, options.commandTimeout());
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void isNoticedAndReplaced(String client) {
    List<String> heard = new CopyOnWriteArrayList<>();
    AtomicInteger missed = new AtomicInteger();
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisPort port = open(proxy.port(), client)) {
      port.subscribe("a", heard::add, missed::incrementAndGet).confirmed().join();
      int connections = proxy.connections();
      proxy.stall();
      ListeningCluster.until(() -> proxy.connections() > connections);

      proxy.heal();
      ListeningCluster.until(() -> missed.get() > 0 && listeners(server) == 1);
      assertThat(server.call("PUBLISH", "a", "hello")).isEqualTo(1L);
      ListeningCluster.until(() -> !heard.isEmpty());
      assertThat(heard).containsExactly("hello");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void oneThatTookLongToOpenIsNotTakenForSilent(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisPort port = open(proxy.port(), client)) {
      int connections = proxy.connections();
      proxy.stall();
      RedisPort.Subscription subscription = port.subscribe("a", message -> {}, () -> {});
      // Longer than an open connection may be silent, and shorter than an opening may take.
      CompletableFuture.runAsync(
              proxy::heal, CompletableFuture.delayedExecutor(3_500, TimeUnit.MILLISECONDS))
          .join();
      subscription.confirmed().get(60, TimeUnit.SECONDS);
      assertThat(proxy.connections()).isLessThanOrEqualTo(connections + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aBrokenOneIsOpenedAgainAndThatIsSaid(String client) {
    List<String> heard = new CopyOnWriteArrayList<>();
    AtomicInteger missed = new AtomicInteger();
    try (RedisServer server = RedisServer.start();
        RedisPort port = open(server.port(), client)) {
      RedisPort.Subscription subscription =
          port.subscribe("a", heard::add, missed::incrementAndGet);
      subscription.confirmed().join();
      assertThat(missed).hasValue(0);
      server.call("CLIENT", "KILL", "TYPE", "pubsub");
      // The client may have opened the broken one again by itself before it was given up.
      ListeningCluster.until(() -> missed.get() > 0 && listeners(server) == 1);
      assertThat(server.call("PUBLISH", "a", "hello")).isEqualTo(1L);
      ListeningCluster.until(() -> !heard.isEmpty());

      subscription.end();
      ListeningCluster.until(() -> listeners(server) == 0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void whoMayNotListenIsToldWhy(String client) {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "default", "resetchannels", "&other");
      try (RedisPort port = open(server.port(), client)) {
        RedisPort.Subscription refused = port.subscribe("a", message -> {}, () -> {});
        assertThatThrownBy(() -> refused.confirmed().get(60, TimeUnit.SECONDS))
            .hasMessageContaining("NOPERM");
        refused.end();
      }
    }
  }

  private static long listeners(RedisServer server) {
    return server.call("CLIENT", "LIST", "TYPE", "pubsub").toString().lines().count();
  }
}
