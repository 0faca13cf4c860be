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
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.ServerProcess;
import dev.pawl.testservers.TlsIdentity;
import java.nio.file.Path;
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

  private static RedisServer server;
  private static TlsIdentity identity;
  private static int port;

  @BeforeAll
  static void start() {
    Optional<String> binary = RedisBinary.installed();
    assumeTrue(binary.isPresent(), "there is no redis-server on the PATH, so no TLS to test");
    identity = TlsIdentity.make(directory, "ip:127.0.0.1");
    port = ServerProcess.freePort();
    server =
        RedisServer.startWith(
            binary.get(),
            "--tls-port",
            "" + port,
            "--tls-cert-file",
            identity.certificate().toString(),
            "--tls-key-file",
            identity.key().toString(),
            "--tls-ca-cert-file",
            identity.certificate().toString(),
            "--tls-auth-clients",
            "no",
            "--requirepass",
            "s3cret");
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
    return "rediss://:s3cret@" + host + ":" + port + "?client=" + client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aLockIsTakenAndHandedOverThroughTls(String client) throws Exception {
    trust();
    try (Pawl a = Pawl.connect(url("127.0.0.1", client));
        Pawl b = Pawl.connect(url("127.0.0.1", client))) {
      Lease held = a.lock("a").acquire();
      assertThat(b.lock("a").tryAcquire()).isEmpty();
      var waiting = b.lock("a").acquireAsync(java.time.Duration.ofSeconds(20));
      held.close();
      assertThat(waiting.get().token()).isGreaterThan(held.token());
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
