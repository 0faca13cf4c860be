package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import dev.pawl.testservers.TlsIdentity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rediss://} on a real server; the one of the jar has no TLS, the installed one may. */
class RedisTlsTest {

  private static final String STORE = "javax.net.ssl.trustStore";
  private static final String PASSWORD = "javax.net.ssl.trustStorePassword";

  @TempDir static Path directory;

  private static String binary;
  private static RedisServer server;
  private static TlsIdentity identity;

  @BeforeAll
  static void start() {
    Optional<String> installed = RedisBinary.installed();
    assumeTrue(installed.isPresent(), "there is no redis-server on the PATH, so no TLS to test");
    binary = installed.get();
    identity = TlsIdentity.make(directory, "ip:127.0.0.1");
    server = RedisServer.startTls(binary, identity, "--requirepass", "s3cret");
  }

  @AfterAll
  static void stop() {
    if (server != null) {
      server.close();
    }
  }

  @AfterEach
  void trustNobodyElse() {
    System.clearProperty(STORE);
    System.clearProperty(PASSWORD);
  }

  private static void trust() {
    System.setProperty(STORE, identity.trustStore().toString());
    System.setProperty(PASSWORD, TlsIdentity.PASSWORD);
  }

  private static String url(String host, String client) {
    return "rediss://:s3cret@" + host + ":" + server.tlsPort() + "?timeout=20s&client=" + client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aLockIsTakenAndHandedOverThroughTls(String client) throws Exception {
    trust();
    assertHandedOver(url("127.0.0.1", client));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void theSentinelsAndTheMasterTheyNameAreAskedThroughTls(String client) throws Exception {
    trust();
    try (SentinelGroup group = SentinelGroup.startTls(binary, identity)) {
      assertHandedOver(
          "redis-sentinel://" + group.tlsHosts() + "/pawl?tls=true&timeout=20s&client=" + client);
    }
  }

  private static void assertHandedOver(String url) throws Exception {
    try (Pawl a = RedisCostTest.connectPatiently(url);
        Pawl b = RedisCostTest.connectPatiently(url)) {
      Lease held = a.lock("a").acquire();
      assertThat(b.lock("a").tryAcquire()).isEmpty();
      var waiting = b.lock("a").acquireAsync(Duration.ofMinutes(1));
      held.close();
      assertThat(waiting.get().token()).isGreaterThan(held.token());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void theMastersOfAClusterTellByShardThroughTls(String client) throws Exception {
    trust();
    try (ListeningCluster cluster =
        new ListeningCluster(RedisCluster.startTls(ListeningCluster.seven(), identity))) {
      cluster
          .servers()
          .forEach(
              each -> each.call("ACL", "SETUSER", "user", "on", ">s3cret", "~*", "&*", "+@all"));
      String url =
          "redis-cluster://user:s3cret@"
              + cluster.cluster().tlsHosts()
              + "?tls=true&timeout=20s&client="
              + client;
      try (Pawl a = RedisCostTest.connectPatiently(url);
          Pawl b = RedisCostTest.connectPatiently(url)) {
        cluster.awaitListeners(2);
        assertThat(cluster.handOver(a, b, "a")).isEqualTo(ListeningCluster.BY_SHARD);
        for (RedisServer each : cluster.servers()) {
          assertThat(each.call("CLIENT", "LIST", "TYPE", "pubsub").toString().lines())
              .isNotEmpty()
              .allMatch(
                  line -> line.contains(" user=user ") && line.contains(":" + each.tlsPort()));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aCertificateThatNobodyTrustsIsForPeople(String client) {
    assertRefused(url("127.0.0.1", client));
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aCertificateOfAnotherHostIsForPeople(String client) {
    trust();
    assertRefused(url("localhost", client));
  }

  private static void assertRefused(String url) {
    assertThatThrownBy(() -> RedisStore.open(url).close())
        .isInstanceOf(PawlException.class)
        .isNotInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class)
        .hasMessageContaining("no TLS connection")
        .hasMessageContaining("javax.net.ssl.trustStore")
        .hasMessageNotContaining("s3cret");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aServerThatDoesNotSpeakTlsCannotBeReached(String client) {
    String plain = "rediss://127.0.0.1:" + server.port() + "?timeout=500ms&client=" + client;
    assertThatThrownBy(() -> RedisStore.open(plain).close())
        .isInstanceOf(StoreUnavailableException.class);
  }
}
