package dev.pawl.redis;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Register;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The users of the guide, as they are written there, can do everything that Pawl does. */
class RedisAclTest {

  private static final String PASSWORD = "s3cret";
  private static final String USER = "pawl:" + PASSWORD + "@";

  /** Runs the guide's lines on a server; those for a cluster too, if asked for. */
  private static void makeUser(RedisServer server, boolean clustered) throws IOException {
    List<String> lines =
        Files.readString(Path.of("../../docs/guide/redis.md"))
            .lines()
            .filter(line -> line.startsWith("ACL SETUSER"))
            .map(line -> line.replace("PASSWORD", PASSWORD))
            .toList();
    assertThat(lines).hasSize(2);
    server.call(lines.get(0).split(" ", -1));
    if (clustered) {
      server.call(lines.get(1).split(" ", -1));
    }
  }

  private static String url(RedisServer server, String parameters) {
    return "redis://" + USER + "127.0.0.1:" + server.port() + "/1?timeout=20s" + parameters;
  }

  @ParameterizedTest
  @ValueSource(strings = {"&client=lettuce", "&client=jedis"})
  void theUserOfTheGuideCanDoEverything(String client) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      makeUser(server, false);
      useEverything(url(server, client));
      assertNothingWasRefused(server);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"&client=lettuce", "&client=jedis"})
  void theUserOfTheGuideCanWaitForReplicas(String client) throws Exception {
    List<RedisServer> servers = SentinelGroup.startReplicated(1);
    try {
      makeUser(servers.get(0), false);
      useEverything(url(servers.get(0), client + "&replicas=1&replicaTimeout=20s"));
      assertNothingWasRefused(servers.get(0));
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"&client=lettuce", "&client=jedis"})
  void theUserOfTheGuideCanDoEverythingInACluster(String client) throws Exception {
    try (ListeningCluster cluster =
        new ListeningCluster(RedisCluster.startWith(ListeningCluster.seven()))) {
      for (RedisServer each : cluster.servers()) {
        makeUser(each, true);
      }
      String url =
          cluster.cluster().url().replace("redis-cluster://", "redis-cluster://" + USER)
              + "?timeout=20s"
              + client;
      useEverything(url);
      try (Pawl a = RedisCostTest.connectPatiently(url);
          Pawl b = RedisCostTest.connectPatiently(url)) {
        cluster.awaitListeners(2);
        assertThat(cluster.handOver(a, b, "a")).isEqualTo(ListeningCluster.BY_SHARD);
      }
      cluster.servers().forEach(RedisAclTest::assertNothingWasRefused);
    }
  }

  @Test
  void theUserOfTheGuideCanVote() throws Exception {
    List<RedisServer> servers = new ArrayList<>();
    try {
      List<String> hosts = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        RedisServer each = RedisServer.startWith(RedisBinary.bundled());
        servers.add(each);
        makeUser(each, false);
        hosts.add("127.0.0.1:" + each.port());
      }
      String url =
          "redlock://" + USER + String.join(",", hosts) + "?serverTimeout=10s&restartDelay=1s";
      try (Pawl a = Pawl.builder(url).responseTimeout(Duration.ofMinutes(1)).build();
          Pawl b = Pawl.builder(url).responseTimeout(Duration.ofMinutes(1)).build()) {
        handOver(a, b);
      }
      servers.forEach(RedisAclTest::assertNothingWasRefused);
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  private static void useEverything(String url) throws Exception {
    try (RedisStore store = RedisStore.open(url);
        Pawl a = Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build();
        Pawl b = RedisCostTest.connectPatiently(url)) {
      handOver(a, b);
      moveALongQueue(store);
      a.readWriteLock("rw").readLock().acquire().close();
      a.semaphore("s", 2).acquire().close();
      assertThat(a.job("j").run(Job.every(Duration.ofDays(1)), run -> "done").toString())
          .contains("done");
      assertThat(a.inspector().runs("j", 5)).hasSize(1);
      assertThat(a.inspector().list("", 10)).isNotEmpty();
      Lease held = b.lock("forced").acquire();
      assertThat(a.inspector().forceRelease("forced", held.token(), "me", "a test")).isTrue();
      a.inspector().journal("forced", 5);
      Register absent = store.registers().read("r").toCompletableFuture().get(60, SECONDS);
      store.registers().compareAndSet(absent, Optional.of("value")).toCompletableFuture().get();
      assertThat(store.registers().list("", 10).toCompletableFuture().get(60, SECONDS)).hasSize(1);
      List<Finding> findings = store.examine().toCompletableFuture().get(60, SECONDS);
      assertThat(findings).noneMatch(finding -> finding.what().contains("does not tell"));
      assertThat(findings).noneMatch(finding -> finding.what().contains("refuses to tell"));
    }
  }

  /** A long one is written in another way. */
  private static void moveALongQueue(RedisStore store) throws Exception {
    for (int i = 1; i <= 150; i++) {
      Command.Acquire acquire =
          new Command.Acquire(
              "long",
              new ClaimId("node", i),
              Command.EVERYTHING,
              Command.EVERYTHING,
              60_000_000,
              1,
              OptionalLong.empty(),
              true,
              true,
              "label",
              "actor");
      store.acquire(acquire).toCompletableFuture().get(60, SECONDS);
    }
    Command.Release release =
        new Command.Release("long", new ClaimId("node", 1), 0, OptionalLong.empty(), false);
    assertThat(store.release(release).toCompletableFuture().get(60, SECONDS))
        .isEqualTo(ReleaseReply.RELEASED);
  }

  private static void handOver(Pawl a, Pawl b) throws Exception {
    LockOptions options = LockOptions.DEFAULT.withFair(false); // As Redlock has them.
    Lease held = a.lock("a", options).acquire();
    var waiting = b.lock("a", options).acquireAsync(Duration.ofMinutes(1));
    held.close();
    RedisCostTest.giveBack(waiting.get(1, TimeUnit.MINUTES));
  }

  /** What a client does without, it may do without for other users too: HELLO, CLIENT, COMMAND. */
  private static void assertNothingWasRefused(RedisServer server) {
    String log = String.valueOf(server.call("ACL", "LOG"));
    assertThat(log.replaceAll("object, (client|hello|command)[|a-z]*", ""))
        .doesNotContain("object, ");
  }
}
