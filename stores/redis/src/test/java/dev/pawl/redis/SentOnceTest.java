package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.providers.PooledConnectionProvider;

/**
 * No client sends a command again by itself (I5): when the connection breaks before the answer, the
 * outcome is unknown, and it is the engine that says what is to be repeated.
 */
class SentOnceTest {

  private static final String NAME = "a";
  private static final String OTHER = "b";
  private static final RedisOptions PATIENT =
      RedisOptions.DEFAULT.withCommandTimeout(Duration.ofSeconds(30));

  /** Breaks the connection when the command has arrived, and lets the client connect again. */
  private static void assertSentOnce(RedisStore store, RedisServer server, FaultProxy proxy)
      throws Exception {
    acquire(store, NAME).get(60, TimeUnit.SECONDS); // The server knows the script from here on.
    server.resetStatistics();
    proxy.dropReplies();
    CompletableFuture<AcquireReply> unanswered = acquire(store, OTHER);
    ListeningCluster.until(() -> server.count("evalsha") > 0);
    proxy.cut(); // The answer may be on its way, and must not come through.
    proxy.heal();

    assertThatThrownBy(() -> unanswered.get(60, TimeUnit.SECONDS))
        .hasCauseInstanceOf(OutcomeUnknownException.class);
    ListeningCluster.until(() -> answers(store));
    assertThat(store.find(OTHER).toCompletableFuture().get(60, TimeUnit.SECONDS).orElseThrow())
        .satisfies(info -> assertThat(info.holders()).hasSize(1));
  }

  private static CompletableFuture<AcquireReply> acquire(RedisStore store, String name) {
    Command.Acquire command =
        new Command.Acquire(
            name,
            new ClaimId("n", 1),
            Command.EVERYTHING,
            Command.EVERYTHING,
            60_000_000,
            1,
            OptionalLong.empty(),
            true,
            true,
            "label",
            "actor");
    return CompletableFuture.supplyAsync(() -> store.acquire(command))
        .thenCompose(answer -> answer);
  }

  private static boolean answers(RedisStore store) {
    CompletableFuture<?> answer = store.nowMicros().toCompletableFuture();
    try {
      answer.get(60, TimeUnit.SECONDS);
      return true;
    } catch (Exception e) {
      return false;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void byTheClientOfAUrl(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisStore store =
            RedisStore.open("redis://127.0.0.1:" + proxy.port() + "?client=" + client, PATIENT)) {
      assertSentOnce(store, server, proxy);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void byTheClientOfAUrlOfACluster(String client) throws Exception {
    try (ProxiedCluster cluster = new ProxiedCluster();
        RedisStore store =
            RedisStore.open(
                "redis-cluster://127.0.0.1:" + cluster.proxy.port() + "?client=" + client,
                PATIENT)) {
      assertSentOnce(store, cluster.master, cluster.proxy);
    }
  }

  @Test
  void byAClientOfLettuceThatIsHandedIn() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        RedisClient client = RedisClient.create();
        RedisStore store =
            LettuceStores.over(client, RedisURI.create("127.0.0.1", proxy.port()), PATIENT)) {
      assertSentOnce(store, server, proxy);
    }
  }

  @Test
  void byAClientOfLettuceOfAClusterThatIsHandedInWithAUri() throws Exception {
    try (ProxiedCluster cluster = new ProxiedCluster();
        RedisClusterClient client = RedisClusterClient.create(cluster.seed());
        RedisStore store = LettuceStores.over(client, cluster.seed(), PATIENT)) {
      assertSentOnce(store, cluster.master, cluster.proxy);
    }
  }

  @Test
  void byAClientOfLettuceOfAClusterThatIsHandedInAndDoesNotRepeat() throws Exception {
    try (ProxiedCluster cluster = new ProxiedCluster();
        RedisClusterClient client = RedisClusterClient.create(cluster.seed())) {
      assertThatThrownBy(() -> LettuceStores.over(client, PATIENT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("REJECT_COMMANDS");
      client.setOptions(
          ClusterClientOptions.builder()
              .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
              .build());
      try (RedisStore store = LettuceStores.over(client, PATIENT)) {
        assertSentOnce(store, cluster.master, cluster.proxy);
      }
    }
  }

  @Test
  @SuppressWarnings("deprecation") // A client that repeats is made by the older constructor.
  void byAClientOfJedisThatIsHandedInWithManyAttempts() throws Exception {
    try (RedisServer server = RedisServer.start();
        FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
        UnifiedJedis client =
            new UnifiedJedis(
                new PooledConnectionProvider(new HostAndPort("127.0.0.1", proxy.port())),
                5,
                Duration.ofMinutes(1));
        RedisStore store = JedisStores.over(client, PATIENT)) {
      assertSentOnce(store, server, proxy);
    }
  }

  @Test
  void byAClientOfJedisOfAClusterThatIsHandedInWithManyAttempts() throws Exception {
    try (ProxiedCluster cluster = new ProxiedCluster();
        redis.clients.jedis.RedisClusterClient client =
            redis.clients.jedis.RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort("127.0.0.1", cluster.seed().getPort())))
                .clientConfig(
                    DefaultJedisClientConfig.builder().socketTimeoutMillis(30_000).build())
                .maxAttempts(5)
                .build();
        RedisStore store = JedisStores.over(client, PATIENT)) {
      assertSentOnce(store, cluster.master, cluster.proxy);
    }
  }

  /** A cluster of one master, which is reached through a proxy. */
  private static final class ProxiedCluster implements AutoCloseable {
    private final RedisServer master =
        RedisServer.startWith(ListeningCluster.seven(), "--cluster-enabled", "yes");
    private final FaultProxy proxy = FaultProxy.to("127.0.0.1", master.port());

    ProxiedCluster() {
      master.call("CONFIG", "SET", "cluster-announce-port", "" + proxy.port());
      List<String> words = new ArrayList<>(List.of("CLUSTER", "ADDSLOTS"));
      IntStream.range(0, 16_384).forEach(slot -> words.add("" + slot));
      master.call(words.toArray(String[]::new));
      ListeningCluster.until(
          () -> master.call("CLUSTER", "INFO").toString().contains("cluster_state:ok"));
      ListeningCluster.until(
          () -> master.call("CLUSTER", "NODES").toString().contains(":" + proxy.port() + "@"));
    }

    RedisURI seed() {
      return RedisURI.create("127.0.0.1", proxy.port());
    }

    @Override
    public void close() {
      proxy.close();
      master.close();
    }
  }
}
