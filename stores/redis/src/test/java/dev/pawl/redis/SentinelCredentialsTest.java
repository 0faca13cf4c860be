package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.testservers.SentinelGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sentinels and a master that ask for a password each, and not for the same. */
class SentinelCredentialsTest {

  @TempDir static Path directory;

  private static SentinelGroup group;

  @BeforeAll
  static void start() {
    group = SentinelGroup.start(0);
    group.master().call("ACL", "SETUSER", "locks", "on", ">masters", "~*", "&*", "+@all");
    group.protectSentinels("watcher", "sentinels");
    group.servers().get(0).call("CONFIG", "SET", "requirepass", "nobody knows");
  }

  @AfterAll
  static void stop() {
    group.close();
  }

  private static String url(String client, String sentinelPassword) throws IOException {
    Path masters = Files.writeString(directory.resolve("masters"), "masters\n");
    Path sentinels = Files.writeString(directory.resolve("sentinels"), sentinelPassword);
    return group.url()
        + "?client="
        + client
        + "&user=locks&passwordFile="
        + masters
        + "&sentinelUser=watcher&sentinelPasswordFile="
        + sentinels;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void eachIsToldItsOwn(String client) throws Exception {
    String url = url(client, "sentinels");
    try (Pawl a = RedisCostTest.connectPatiently(url);
        Pawl b = RedisCostTest.connectPatiently(url)) {
      Lease held = a.lock(client).acquire();
      var waiting = b.lock(client).acquireAsync(Duration.ofMinutes(1));
      held.close();
      assertThat(waiting.get().token()).isGreaterThan(held.token());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void sentinelsThatRefuseAreAnErrorThatTellsNoPassword(String client) throws Exception {
    String url = url(client, "guessed");
    assertThatThrownBy(() -> Pawl.connect(url).close())
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("redis-sentinel://")
        .satisfies(
            error -> {
              for (Throwable cause = error; cause != null; cause = cause.getCause()) {
                assertThat(cause.toString()).doesNotContain("guessed").doesNotContain("masters");
              }
            });
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aFileThatCannotBeReadIsNamed(String client) {
    Path missing = directory.resolve("missing");
    String url = group.url() + "?client=" + client + "&sentinelPasswordFile=" + missing;

    assertThatThrownBy(() -> Pawl.connect(url).close())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sentinelPasswordFile " + missing);
  }
}
