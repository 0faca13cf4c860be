package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.JournalEntry;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.RedisJournal;
import dev.pawl.redis.store.RedisKeys;
import dev.pawl.spi.Journal;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;

/** Clients that the application brings stay its own; and what each client is asked for by URL. */
class RedisClientsTest {

  /** Takes and frees a lock in the store, and closes it. */
  private static void useAndClose(Store store, boolean fair) throws Exception {
    try (Pawl pawl =
        Pawl.builder(store)
            .defaults(LockOptions.DEFAULT.withFair(fair))
            .responseTimeout(Duration.ofMinutes(1))
            .build()) {
      pawl.lock("a").acquire().close();
      pawl.lock("left").acquire();
    }
    store.close();
  }

  @Test
  void aLettuceClientThatIsHandedInIsNotClosed() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client = RedisClient.create()) {
      RedisURI uri = RedisURI.create(server.url());
      RedisStore store = LettuceStores.over(client, uri, RedisOptions.DEFAULT);
      assertThat(store.describe()).isEqualTo(server.url());
      useAndClose(store, true);

      assertThatThrownBy(() -> store.nowMicros().toCompletableFuture().get())
          .hasCauseInstanceOf(StoreUnavailableException.class);
      try (var connection = client.connect(uri)) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
        assertThat(RedisConformance.leftovers(server, "")).isZero();
        ListeningCluster.until(() -> connections(server) == 1); // Ours are closed.
      }
    }
  }

  /** Counts the connections of clients, without the one that asks. */
  private static long connections(RedisServer server) {
    return server.call("CLIENT", "LIST").toString().lines().count() - 1;
  }

  @Test
  void aLettuceClientOfAClusterThatIsHandedInIsNotClosed() throws Exception {
    try (RedisCluster cluster = RedisCluster.start();
        RedisClusterClient client =
            RedisClusterClient.create("redis://127.0.0.1:" + cluster.servers().get(0).port())) {
      client.setOptions(
          ClusterClientOptions.builder()
              .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
              .build());
      useAndClose(LettuceStores.over(client, RedisOptions.DEFAULT), true);
      try (var connection = client.connect()) {
        assertThat(connection.sync().ping()).isEqualTo("PONG");
      }
    }
  }

  @Test
  void aJedisClientThatIsHandedInIsNotClosed() throws Exception {
    try (RedisServer server = RedisServer.start();
        UnifiedJedis client =
            redis.clients.jedis.RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
                .build()) {
      useAndClose(JedisStores.over(client, RedisOptions.DEFAULT), true);
      assertThat(client.ping()).isEqualTo("PONG");
      assertThat(RedisConformance.leftovers(server, "")).isZero();
    }
  }

  @Test
  void clientsThatAreHandedInToRedlockAreNotClosed() throws Exception {
    List<RedisServer> servers = Stream.generate(RedisServer::start).limit(3).toList();
    try (RedisClient client = RedisClient.create()) {
      Map<RedisURI, RedisClient> clients = new LinkedHashMap<>();
      servers.forEach(server -> clients.put(RedisURI.create(server.url()), client));
      useAndClose(RedlockStore.over(clients, RedlockOptions.DEFAULT), false);
      for (RedisURI uri : clients.keySet()) {
        try (var connection = client.connect(uri)) {
          assertThat(connection.sync().ping()).isEqualTo("PONG");
        }
      }
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aUserWithAPasswordInAFileIsLetIn(String client, @TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("secret"), "s3cret\n");
    try (RedisServer server = RedisServer.start("--requirepass", "another")) {
      try (RedisStore admin = RedisStore.open(server.url().replace("://", "://:another@"))) {
        assertThat(admin.examine().toCompletableFuture().get()).isNotEmpty();
      }
      String url = server.url() + "?client=" + client + "&user=default&passwordFile=" + file;
      assertThatThrownBy(() -> RedisStore.open(url)).hasMessageContaining("WRONGPASS");
      Files.writeString(file, "another\n");
      useAndClose(RedisStore.open(url), true);
    }
  }

  @Test
  void jedisWaitsForReplicas() throws Exception {
    List<RedisServer> servers = SentinelGroup.startReplicated(1);
    try {
      confirms(servers.get(0).url() + "?client=jedis", servers.get(0), servers.get(1));
    } finally {
      servers.forEach(RedisServer::close);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void replicasOfAClusterAreWaitedFor(String client) throws Exception {
    try (RedisCluster cluster = RedisCluster.startReplicated()) {
      RedisServer master = masterOf(cluster, "a");
      RedisServer replica = cluster.replicas().get(cluster.servers().indexOf(master));
      confirms(cluster.url() + "?client=" + client, master, replica);
    }
  }

  private static RedisServer masterOf(RedisCluster cluster, String name) {
    int slot = Slots.of(new RedisKeys("pawl").key(name));
    return cluster.servers().get((int) ((long) slot * 3 / 16_384));
  }

  /**
   * With the replica there an acquire is confirmed; with it stalled nobody is told that he has it.
   */
  private static void confirms(String url, RedisServer master, RedisServer replica)
      throws Exception {
    try (Pawl pawl =
        RedisCostTest.connectPatiently(url + "&replicas=1&replicaTimeout=5s&timeout=10s")) {
      pawl.lock("a").acquire().close();
      master.resetStatistics();
      pawl.lock("a").acquire().close();
      assertThat(master.count("wait")).isPositive();
    }
    replica.pause();
    try (Pawl hurried =
        Pawl.builder(url + "&replicas=1&replicaTimeout=100ms")
            .responseTimeout(Duration.ofSeconds(1))
            .build()) {
      assertThatThrownBy(() -> hurried.lock("a").acquire())
          .isInstanceOf(OutcomeUnknownException.class);
    } finally {
      replica.resume();
    }
  }

  @Test
  void theJournalKeepsAboutTenThousandEntriesAndAHundredOfEachName() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=60s")) {
      CompletableFuture<?>[] written =
          IntStream.range(0, Journal.IN_ALL + 500)
              .mapToObj(
                  i ->
                      store
                          .journal()
                          .append(
                              JournalEntry.Kind.LEASE_LOST, "name", i, "node", Map.of("i", "" + i))
                          .toCompletableFuture())
              .toArray(CompletableFuture[]::new);
      CompletableFuture.allOf(written).get(60, TimeUnit.SECONDS);
      store
          .journal()
          .append(JournalEntry.Kind.LEASE_LOST, "name", 42_000, "node", Map.of())
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);

      // Redis trims whole nodes of a stream, of a hundred entries each.
      assertThat((Long) server.call("XLEN", "pawl:journal"))
          .isBetween((long) Journal.IN_ALL, Journal.IN_ALL + 100L);
      String ofName = "pawl:journal:{pawl:journal}:name";
      assertThat(server.call("XLEN", ofName)).isEqualTo((long) Journal.OF_EACH_NAME);
      assertThat((Long) server.call("TTL", ofName))
          .isBetween(1L, RedisJournal.RETENTION.toSeconds());
      assertThat(store.journal().read("name", 1).toCompletableFuture().get())
          .singleElement()
          .matches(entry -> entry.token() == 42_000);
    }
  }

  /** A node that was deployed before the others reads on. */
  @Test
  void whatALaterVersionHasWrittenIntoTheJournalIsLeftOut() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
      store
          .journal()
          .append(JournalEntry.Kind.LEASE_LOST, "name", 1, "node", Map.of())
          .toCompletableFuture()
          .get(60, TimeUnit.SECONDS);
      server.call(
          ("XADD pawl:journal:{pawl:journal}:name *"
                  + " name name kind NOT_THOUGHT_OF_YET token 2 node node")
              .split(" "));

      assertThat(store.journal().read("name", 10).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .singleElement()
          .matches(entry -> entry.token() == 1);
    }
  }
}
