package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.port.Answers;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Finding.Level;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is said of servers that are set up badly, and of those that are set up well. */
class RedisExaminationTest {

  private static final RedisOptions PATIENT =
      RedisOptions.DEFAULT.withCommandTimeout(Duration.ofSeconds(20));

  private static List<Finding> examine(LockStore store) throws Exception {
    List<Finding> findings = store.examine().toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(findings)
        .allMatch(
            f -> f.level() == Level.FINE || (!f.why().isEmpty() && !f.remedy().isEmpty()),
            "says why, and what to do");
    return findings;
  }

  private static List<Finding> of(List<Finding> findings, Level level) {
    return findings.stream().filter(finding -> finding.level() == level).toList();
  }

  private static List<Finding> examine(RedisServer server, String parameters) throws Exception {
    try (RedisStore store = RedisStore.open(server.url() + parameters, PATIENT)) {
      return examine(store);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"?client=lettuce", "?client=jedis"})
  void aServerThatKeepsItsDataIsFineAndOneThatEvictsIsUnsafe(String client) throws Exception {
    try (RedisServer server = RedisServer.start("--appendonly", "yes")) {
      assertThat(examine(server, client))
          .allMatch(finding -> finding.level() == Level.FINE)
          .extracting(Finding::what)
          .anyMatch(what -> what.contains("is Redis 6.2"))
          .anyMatch(what -> what.contains("append-only file (appendfsync everysec)"));

      server.call("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
      assertThat(of(examine(server, client), Level.WARNING))
          .singleElement()
          .matches(finding -> finding.what().contains("no limit that it would apply to yet"));

      server.call("CONFIG", "SET", "maxmemory", "100mb");
      assertThat(of(examine(server, client), Level.UNSAFE))
          .singleElement()
          .matches(finding -> finding.what().contains("maxmemory-policy allkeys-lru"))
          .matches(finding -> finding.remedy().contains("noeviction"));
    }
  }

  @Test
  void aServerWithoutADiskLosesLocksInACrash() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      assertThat(of(examine(server, ""), Level.WARNING))
          .singleElement()
          .matches(finding -> finding.what().contains("keeps nothing on disk"))
          .matches(finding -> finding.why().contains("Tokens rise all the same"));
      server.call("CONFIG", "SET", "save", "60 1");
      assertThat(of(examine(server, ""), Level.WARNING))
          .singleElement()
          .matches(finding -> finding.what().contains("snapshots only (save 60 1)"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"&client=lettuce", "&client=jedis"})
  void whatTheUserMayNotAskIsAFindingAndNoException(String client) throws Exception {
    try (RedisServer server = RedisServer.start()) {
      server.call("ACL", "SETUSER", "some", "on", ">s3cret", "~*", "&*", "+@all", "-config");
      String url = server.url().replace("://", "://some:s3cret@") + "?timeout=20s" + client;
      try (RedisStore store = RedisStore.open(url)) {
        assertThat(of(examine(store), Level.WARNING))
            .singleElement()
            .matches(finding -> finding.what().contains("refuses to tell of snapshots"));

        server.call("ACL", "SETUSER", "some", "-info");
        assertThat(examine(store))
            .singleElement()
            .matches(finding -> finding.level() == Level.WARNING)
            .matches(finding -> finding.what().contains("does not tell about itself"))
            .matches(finding -> finding.what().contains("NOPERM"))
            .matches(finding -> !finding.toString().contains("s3cret"));
      }
    }
  }

  @Test
  void replicasThatNobodyWaitsForAndAReplicaInTheMastersPlace() throws Exception {
    List<RedisServer> servers = SentinelGroup.startReplicated(1);
    try {
      assertThat(of(examine(servers.get(0), ""), Level.WARNING))
          .anyMatch(finding -> finding.what().contains("1 replicas, and none is waited for"));
      assertThat(examine(servers.get(0), "?replicas=1"))
          .anyMatch(
              finding ->
                  finding.level() == Level.FINE && finding.what().contains("1 are waited for"));
      assertThat(of(examine(servers.get(0), "?replicas=2"), Level.WARNING))
          .anyMatch(finding -> finding.what().contains("1 replicas, and 2 are waited for"));
      assertThat(of(examine(servers.get(1), ""), Level.UNSAFE))
          .singleElement()
          .matches(finding -> finding.what().contains("is a replica of 127.0.0.1"));
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void everyMasterOfAClusterIsLookedAtAndTheClockIsThatOfOne() throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      cluster.servers().get(2).call("CONFIG", "SET", "maxmemory-policy", "volatile-ttl");
      cluster.servers().get(2).call("CONFIG", "SET", "maxmemory", "100mb");
      for (String client : List.of("lettuce", "jedis")) {
        try (RedisStore store = RedisStore.open(cluster.url() + "?client=" + client, PATIENT)) {
          List<Finding> findings = examine(store);
          assertThat(findings).filteredOn(f -> f.what().endsWith("is a master")).hasSize(3);
          assertThat(of(findings, Level.UNSAFE))
              .singleElement()
              .matches(f -> f.what().contains(":" + cluster.servers().get(2).port()));

          cluster.servers().forEach(RedisServer::resetStatistics);
          store.nowMicros().toCompletableFuture().get(60, TimeUnit.SECONDS);
          store.nowMicros().toCompletableFuture().get(60, TimeUnit.SECONDS);
          assertThat(cluster.servers().stream().filter(s -> s.count("time") > 0)).hasSize(1);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void theClockIsTheServersAndCostsOneCommand(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?client=" + client, PATIENT)) {
      long before = serverMicros(server);
      long now = store.nowMicros().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(now).isBetween(before, serverMicros(server));

      server.resetStatistics();
      store.nowMicros().toCompletableFuture().get(60, TimeUnit.SECONDS);
      assertThat(server.count("evalsha") + server.count("eval")).isEqualTo(1);
      assertThat(server.count("set")).isZero();
    }
  }

  private static long serverMicros(RedisServer server) {
    List<?> time = Answers.list(server.call("TIME"));
    return Long.parseLong(Answers.text(time.get(0))) * 1_000_000
        + Long.parseLong(Answers.text(time.get(1)));
  }

  @Test
  void serversOfRedlockThatForgetShareAHostOrAreReplicas() throws Exception {
    List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
    String url = RedlockConformanceTest.url(servers) + "?serverTimeout=10s";
    try (RedlockStore store = RedlockStore.open(url);
        RedlockStore delayed =
            RedlockStore.open(
                url, RedlockOptions.DEFAULT.withRestartDelay(Duration.ofSeconds(30)))) {
      // Who does not answer within two seconds is told to be down.
      Measurement.whereNothingStalls(
          () -> {
            assertThat(of(examine(store), Level.WARNING))
                .filteredOn(finding -> finding.what().contains("may forget its votes"))
                .hasSize(3);
            assertThat(of(examine(delayed), Level.WARNING))
                .singleElement()
                .matches(finding -> finding.what().contains("are on one host"));
            assertThat(of(examine(delayed), Level.FINE))
                .anyMatch(finding -> finding.what().equals("3 servers, of which 1 may be down"));
          });

      servers.get(0).call("CONFIG", "SET", "appendonly", "yes");
      servers.get(0).call("CONFIG", "SET", "appendfsync", "always");
      servers.get(1).call("REPLICAOF", "127.0.0.1", "" + servers.get(0).port());
      Measurement.whereNothingStalls(
          () -> {
            List<Finding> findings = examine(store);
            assertThat(of(findings, Level.UNSAFE))
                .singleElement()
                .matches(finding -> finding.why().contains("its vote is another server's"));
            assertThat(of(findings, Level.FINE))
                .anyMatch(finding -> finding.what().contains("has every vote on disk"));
          });

      servers.get(2).kill();
      Measurement.whereNothingStalls(
          () ->
              assertThat(of(examine(store), Level.WARNING))
                  .anyMatch(finding -> finding.what().contains("1 did not answer"))
                  .anyMatch(finding -> finding.what().contains("does not tell about itself")));
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @Test
  void aServerThatIsNamedTwiceVotesTwice() throws Exception {
    try (RedisServer one = RedisServer.start();
        RedisServer two = RedisServer.start()) {
      String url =
          "redlock://127.0.0.1:%d,localhost:%d,127.0.0.1:%d?serverTimeout=10s"
              .formatted(one.port(), one.port(), two.port());
      try (RedlockStore store = RedlockStore.open(url)) {
        Measurement.whereNothingStalls(
            () ->
                assertThat(of(examine(store), Level.UNSAFE))
                    .singleElement()
                    .matches(finding -> finding.what().contains("are the same server")));
      }
    }
  }
}
