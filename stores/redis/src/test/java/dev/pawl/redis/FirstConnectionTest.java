package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisErrors;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The start of a process on a busy machine, where a server takes its time to answer at first. */
class FirstConnectionTest {

  /** Twice as long as a call may take, and much less than the 10 s of a first connection. */
  private static final long SILENT_MILLIS = 4_000;

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void toOneServer(String client) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      assertOpens(server.url() + "?client=" + client, List.of(server));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void throughSentinel(String client) throws Exception {
    try (SentinelGroup group = SentinelGroup.start(0)) {
      assertOpens(
          group.url() + "?client=" + client,
          Stream.concat(group.servers().stream(), group.sentinels().stream()).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void toACluster(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      assertOpens(cluster.url() + "?client=" + client, cluster.servers());
    }
  }

  /** What is on the other masters can be used, by a process that starts only now too. */
  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void toAClusterOfWhichOneMasterIsSilent(String client) throws Exception {
    try (RedisCluster cluster =
        RedisCluster.startReplicated(RedisBinary.bundled(), Duration.ofMinutes(5))) {
      RedisServer silent = cluster.servers().get(2);
      String name = new ListeningCluster(cluster).nameOn(cluster.servers().get(0));
      silent.pause();
      try (Pawl pawl =
          Pawl.builder(cluster.url() + "?client=" + client)
              .responseTimeout(Duration.ofMinutes(1))
              .build()) {
        pawl.lock(name).acquire().close();
      } finally {
        silent.resume();
      }
    }
  }

  /**
   * Where each handshake takes longer than a call may, to try again with the same time is no use.
   */
  @Test
  void aHandshakeThatTakesLongerThanACall() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy slow = FaultProxy.to("127.0.0.1", server.port())) {
      slow.delay(Duration.ofMillis(550)); // There and back, two or three times.
      RedisUrl url = RedisUrl.parse("redis://127.0.0.1:" + slow.port());
      try (RedisPort port = LettucePorts.open(url, Duration.ofSeconds(2))) {
        assertThat(port.describe()).isNotEmpty();
      }
    }
  }

  @Test
  void toAMajority() throws Exception {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      String hosts = "127.0.0.1:" + a.port() + ",127.0.0.1:" + b.port() + ",127.0.0.1:" + c.port();
      assertOpens("redlock://" + hosts + "?serverTimeout=2s", List.of(a, b, c));
    }
  }

  private static void assertOpens(String url, List<RedisServer> servers) throws Exception {
    // With what a machine may stand still, the silence can be longer than a first connection bears.
    Measurement.whereNothingStalls(() -> openSilent(url, servers));
  }

  /** The silence is what is tested: a latch that nobody opens. */
  private static void openSilent(String url, List<RedisServer> servers) throws Exception {
    servers.forEach(RedisServer::pause);
    CompletableFuture<LockStore> opening =
        CompletableFuture.supplyAsync(
            () -> url.startsWith("redlock") ? RedlockStore.open(url) : RedisStore.open(url),
            task -> new Thread(task).start());
    try {
      assertThat(new CountDownLatch(1).await(SILENT_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
    } finally {
      servers.forEach(RedisServer::resume);
    }
    assertThat(opening).succeedsWithin(Duration.ofMinutes(1));
    try (LockStore store = opening.join()) {
      assertThat(store.describe()).isNotEmpty();
    }
  }

  /** Messages have a connection to themselves. */
  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void forMessages(String client) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      Measurement.whereNothingStalls(() -> subscribeSilent(server, client));
    }
  }

  private static void subscribeSilent(RedisServer server, String client) throws Exception {
    try (RedisStore store = RedisStore.open(server.url() + "?client=" + client)) {
      server.pause();
      CompletableFuture<Void> subscribed =
          CompletableFuture.runAsync(
              () -> store.subscribe("node", signal -> {}).close(),
              task -> new Thread(task).start());
      try {
        assertThat(new CountDownLatch(1).await(SILENT_MILLIS, TimeUnit.MILLISECONDS)).isFalse();
      } finally {
        server.resume();
      }
      assertThat(subscribed).succeedsWithin(Duration.ofMinutes(1));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "redis://127.0.0.1:1?timeout=20s",
        "redis://127.0.0.1:1?timeout=20s&client=jedis",
        "redis-sentinel://127.0.0.1:1/master?timeout=20s",
        "redis-sentinel://127.0.0.1:1/master?timeout=20s&client=jedis",
        "redis-cluster://127.0.0.1:1?timeout=20s",
        "redis-cluster://127.0.0.1:1?timeout=20s&client=jedis",
        "redlock://127.0.0.1:1,127.0.0.1:2,127.0.0.1:3"
      })
  void whoRefusesIsNotWaitedFor(String url) {
    assertThatThrownBy(() -> Pawl.connect(url))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageNotContaining("timed out after");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void whoIsSilentIsToldWithTheTime(String client) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "redis://127.0.0.1:" + silent.getLocalPort() + "?timeout=300ms&client=" + client;
      assertThatThrownBy(() -> RedisStore.open(url))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("takes connections and does not answer")
          .hasMessageMatching(".*; timed out after [1-9].* s");
    }
  }

  @Test
  void thereIsAlwaysAReason() {
    assertThat(RedisErrors.notSent("redis://a", new TimeoutException()))
        .hasMessage("redis://a cannot be reached: TimeoutException");
    assertThat(RedisErrors.notSent("redis://a", new IllegalStateException("x", new Error("why\n"))))
        .hasMessage("redis://a cannot be reached: why");
  }
}
