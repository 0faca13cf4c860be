package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What there is instead of a connection: one line with the reason and what to do. */
class RedisConnectTest {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static void assertUnavailable(String url, String reason) {
    assertFails(url, reason, StoreUnavailableException.class);
  }

  private static void assertFails(String url, String reason, Class<?> type) {
    assertThatThrownBy(() -> open(url).close())
        .isInstanceOf(type)
        .hasMessageContaining(url.substring(url.indexOf("://") + 3, url.indexOf('?')))
        .hasMessageContaining(reason)
        .satisfies(error -> assertThat(error.getMessage().lines()).hasSize(1));
  }

  private static LockStore open(String url) {
    return url.startsWith("redlock") ? RedlockStore.open(url) : RedisStore.open(url);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void anUnknownHost(String client) {
    assertUnavailable("redis://no-such-host.invalid:1?client=" + client, "the host is unknown");
    assertUnavailable(
        "redis-cluster://no-such-host.invalid:1?client=" + client, "the host is unknown");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aPortWhereNothingListens(String client) {
    assertUnavailable("redis://127.0.0.1:1?client=" + client, "connection refused");
    assertUnavailable("redis-cluster://127.0.0.1:1?client=" + client, "connection refused");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void theSentinelsOfNobody(String client) {
    assertUnavailable("redis-sentinel://127.0.0.1:1/master?client=" + client, "check");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void thePortOfAWebServer(String client) throws Exception {
    HttpServer web =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    web.start();
    try {
      assertUnavailable(
          "redis://127.0.0.1:" + web.getAddress().getPort() + "?client=" + client, "is not Redis");
    } finally {
      web.stop(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void thePortOfPostgres(String client) {
    try (PostgresServer postgres = PostgresServer.start()) {
      assertUnavailable(
          "redis://127.0.0.1:" + postgres.port() + "?timeout=20s&client=" + client,
          "it closed the connection at once, as what is not Redis does; check the port");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aPortThatTakesConnectionsAndSaysNothing(String client) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      assertUnavailable(
          "redis://127.0.0.1:" + silent.getLocalPort() + "?timeout=300ms&client=" + client,
          "does not answer");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void tlsToAServerWithout(String client) {
    assertUnavailable(
        "rediss://127.0.0.1:" + server.port() + "?timeout=300ms&client=" + client,
        "does not answer to TLS; use redis://");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatIsNoCluster(String client) {
    assertFails(
        "redis-cluster://127.0.0.1:" + server.port() + "?timeout=20s&client=" + client,
        "is not a cluster; use redis://",
        PawlException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerOfACluster(String client) {
    try (RedisCluster cluster = RedisCluster.start()) {
      for (RedisServer each : cluster.servers()) {
        try (RedisStore store = RedisStore.open(each.url() + "?timeout=20s&client=" + client)) {
          store.nowMicros().toCompletableFuture().get();
        } catch (ExecutionException e) {
          assertThat(e.getCause()).hasMessageContaining("part of a cluster; use redis-cluster://");
          return;
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
      throw new AssertionError("each of them has the key");
    }
  }

  @Test
  void aServerThatIsNoSentinel() {
    assertFails(
        "redis-sentinel://127.0.0.1:" + server.port() + "/master?timeout=20s",
        "is no Sentinel",
        PawlException.class);
  }

  @Test
  void eachOfRedlocksServersHasItsReason() {
    assertUnavailable(
        "redlock://127.0.0.1:1,127.0.0.1:2,no-such-host.invalid:3?serverTimeout=1s",
        "0 of 3 servers can be reached. redis://127.0.0.1:1 cannot be reached: connection refused");
  }

  @Test
  void aPasswordForEachServer() {
    assertThatThrownBy(() -> open("redlock://:s3cret@a,:s3cret2@b,:s3cret3@c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one user and password for all servers")
        .hasMessageNotContaining("s3cret");
  }

  @Test
  void severalServersOfWhichOneWouldBeUsed() {
    assertThatThrownBy(() -> open("redis://a,b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("has one server; several are redis-cluster://");
  }

  @Test
  void jedisThatIsNotOnTheClassPath() throws Exception {
    String withoutJedis =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(each -> !each.contains("jedis"))
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                withoutJedis,
                Opening.class.getName(),
                server.url() + "?client=jedis")
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(said)
        .contains(IllegalArgumentException.class.getName())
        .contains("add redis.clients:jedis, or leave out client=jedis");
  }

  /** What is run in a process of its own: tells why a store cannot be opened. */
  static final class Opening {
    public static void main(String[] args) {
      try {
        RedisStore.open(args[0]).close();
      } catch (RuntimeException e) {
        System.out.println(e);
      }
    }
  }
}
