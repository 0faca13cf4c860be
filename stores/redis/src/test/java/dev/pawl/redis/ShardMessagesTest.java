package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who hears of a hand-over in a cluster, and that it does not matter what the servers do. */
class ShardMessagesTest {

  private static final LockOptions LONG_LEASE =
      LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));
  private static final RedisKeys KEYS = new RedisKeys("pawl");

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.startWith(seven());
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static String seven() {
    Optional<String> binary = RedisBinary.installedSeven();
    assumeTrue(binary.isPresent(), "there is no redis-server 7 on the PATH");
    return binary.get();
  }

  private static Pawl connect(RedisCluster to, String client) {
    return Pawl.builder(to.url() + "?client=" + client).build();
  }

  /** Returns a name whose slot a server has. */
  private static String nameOn(RedisCluster cluster, RedisServer server) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "name-" + i)
        .filter(name -> cluster.masterOf(slot(name)) == server)
        .findFirst()
        .orElseThrow();
  }

  private static int slot(String name) {
    return RedisKeys.slot(KEYS.key(name));
  }

  private static long shardChannels(RedisServer server) {
    return ((List<?>) server.call("PUBSUB", "SHARDCHANNELS")).size();
  }

  private static long shardChannels(RedisCluster cluster) {
    return cluster.servers().stream().mapToLong(ShardMessagesTest::shardChannels).sum();
  }

  private static void awaitListeners(RedisCluster cluster, int nodes) {
    until(() -> shardChannels(cluster) == (long) nodes * RedisKeys.TAGS);
  }

  private static long count(RedisCluster cluster, String command) {
    return cluster.servers().stream().mapToLong(server -> server.count(command)).sum();
  }

  private static long scripts(RedisCluster cluster) {
    return count(cluster, "evalsha") + count(cluster, "eval");
  }

  /** What a hand-over took, on all servers: scripts, messages by shard, messages to all. */
  private record Told(long scripts, long sharded, long all) {}

  private static Told handOver(RedisCluster cluster, Pawl from, Pawl to, String name)
      throws Exception {
    to.lock(name).acquire().close(); // The scripts are known there.
    Lease held = from.lock(name, LONG_LEASE).acquire();
    cluster.servers().forEach(RedisServer::resetStatistics);
    CompletableFuture<Lease> waiting = to.lock(name).acquireAsync(Duration.ofSeconds(10));
    until(() -> scripts(cluster) > 0);
    held.close();
    Lease next = waiting.get(5, TimeUnit.SECONDS);
    Told told = new Told(scripts(cluster), count(cluster, "spublish"), count(cluster, "publish"));
    next.close();
    return told;
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aHandOverIsToldByTheServerOfItsSlotAlone(String client) throws Exception {
    try (Pawl a = connect(cluster, client);
        Pawl b = connect(cluster, client)) {
      awaitListeners(cluster, 2);
      for (RedisServer server : cluster.servers()) {
        assertThat(handOver(cluster, a, b, nameOn(cluster, server))).isEqualTo(new Told(2, 1, 0));
        assertThat(server.count("spublish")).isEqualTo(1);
      }
    }
    until(() -> shardChannels(cluster) == 0);
    until(() -> cluster.servers().stream().allMatch(server -> connections(server) == 0));
    until(() -> shardThreads() == 0);
  }

  /** Counts the connections of clients, without the one that asks and those of the cluster. */
  private static long connections(RedisServer server) {
    return server
            .call("CLIENT", "LIST", "TYPE", "normal")
            .toString()
            .lines()
            .filter(line -> !line.isBlank())
            .count()
        - 1
        + server
            .call("CLIENT", "LIST", "TYPE", "pubsub")
            .toString()
            .lines()
            .filter(line -> !line.isBlank())
            .count();
  }

  private static long shardThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("pawl-redis-shard"))
        .count();
  }

  private static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it took too long").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }
}
