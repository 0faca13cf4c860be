package dev.pawl.redis;

import static dev.pawl.redis.ListeningCluster.seven;
import static dev.pawl.redis.ListeningCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.redis.ListeningCluster.Told;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which servers of a cluster hear of a hand-over: those of its slot alone, where they know how. */
class ShardMessagesTest extends SevenClusterTest {

  private static final Told TO_ALL_SINCE_NOBODY_LISTENS = new Told(2, 1, 1);

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aHandOverIsToldByTheServerOfItsSlotAlone(String client) throws Exception {
    try (Pawl a = cluster.connect(client);
        Pawl b = cluster.connect(client)) {
      cluster.awaitListeners(2);
      for (RedisServer server : cluster.servers()) {
        assertThat(cluster.handOver(a, b, cluster.nameOn(server)))
            .isEqualTo(ListeningCluster.BY_SHARD);
        assertThat(server.count("spublish")).isEqualTo(1);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void nothingIsLeftOfAClosedNode(String client) throws Exception {
    try (Pawl node = cluster.connect(client)) {
      cluster.awaitListeners(1);
      // One connection to each master, and one for what all are told.
      until(
          () ->
              cluster.servers().stream().allMatch(server -> clients(server, "pubsub") >= 1)
                  && cluster.servers().stream().mapToLong(s -> clients(s, "pubsub")).sum() == 4);
      node.lock("a").acquire().close();
    }
    cluster.awaitListeners(0);
    until(() -> cluster.servers().stream().allMatch(server -> clients(server, "pubsub") == 0));
    until(
        () ->
            cluster.servers().stream()
                .allMatch(server -> clients(server, "normal") == 1)); // Who asks.
    until(
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(thread -> thread.startsWith("pawl-redis-shard"))
                .noneMatch(thread -> thread.contains(":" + cluster.servers().get(0).port())));
  }

  private static long clients(RedisServer server, String kind) {
    return clientList(server, kind).lines().count();
  }

  private static String clientList(RedisServer server, String kind) {
    return server.call("CLIENT", "LIST", "TYPE", kind).toString();
  }

  @Test
  void aClusterInTheMidstOfAnUpgradeLosesNoMessage() throws Exception {
    try (ListeningCluster mixed =
        new ListeningCluster(RedisCluster.startWith(RedisBinary.bundled(), seven(), seven()))) {
      RedisServer old = mixed.servers().get(0);
      RedisServer upgraded = mixed.servers().get(1);
      String here = mixed.nameOn(old);
      String there = mixed.nameOn(upgraded);
      for (String client : List.of("lettuce", "jedis")) {
        try (Pawl a = mixed.connect(client);
            Pawl b = mixed.connect(client)) {
          ListeningCluster.awaitListeners(upgraded, there, 2);
          assertThat(mixed.handOver(a, b, here)).as(client).isEqualTo(ListeningCluster.TO_ALL);
          assertThat(mixed.handOver(a, b, there)).as(client).isEqualTo(ListeningCluster.BY_SHARD);
        }
        ListeningCluster.awaitListeners(upgraded, there, 0);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aUserWhoMayNotListenToShardsIsToldByAllServers(String client) throws Exception {
    for (RedisServer server : cluster.servers()) {
      server.call("ACL", "SETUSER", "all", "on", ">s3cret", "~pawl:*", "&pawl:node:*", "+@all");
      server.call("ACL", "SETUSER", "deaf", "on", ">s3cret", "~pawl:*", "&pawl:node:*", "+@all");
      server.call("ACL", "SETUSER", "deaf", "-ssubscribe");
    }
    String url = cluster.cluster().url() + "?client=" + client;
    try (Pawl all = RedisCostTest.connectPatiently(url.replace("://", "://all:s3cret@"));
        Pawl deaf = RedisCostTest.connectPatiently(url.replace("://", "://deaf:s3cret@"))) {
      cluster.awaitListeners(1);
      assertThat(cluster.handOver(all, deaf, "a")).isEqualTo(TO_ALL_SINCE_NOBODY_LISTENS);
      assertThat(cluster.handOver(deaf, all, "a")).isEqualTo(ListeningCluster.BY_SHARD);
      assertThat(cluster.servers())
          .allMatch(server -> !clientList(server, "pubsub").contains("user=default"));
    }
    cluster.awaitListeners(0);
  }

  @Test
  void aClientOfLettuceThatIsHandedInWithAUriIsUsedForBoth() throws Exception {
    String address = "redis://127.0.0.1:" + cluster.servers().get(0).port();
    try (RedisClusterClient client = RedisClusterClient.create(address);
        RedisStore store =
            LettuceStores.over(client, RedisURI.create(address), RedisOptions.DEFAULT);
        RedisStore plain = LettuceStores.over(rejecting(client), RedisOptions.DEFAULT);
        Pawl a = Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build();
        Pawl b = Pawl.builder(plain).responseTimeout(Duration.ofMinutes(1)).build()) {
      cluster.awaitListeners(1);
      assertThat(cluster.handOver(a, b, "a")).isEqualTo(TO_ALL_SINCE_NOBODY_LISTENS);
      assertThat(cluster.handOver(b, a, "a")).isEqualTo(ListeningCluster.BY_SHARD);
    }
    cluster.awaitListeners(0);
  }

  private static RedisClusterClient rejecting(RedisClusterClient client) {
    client.setOptions(
        ClusterClientOptions.builder()
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .build());
    return client;
  }
}
