package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.RedisKeys;
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

/** A cluster, and what its servers say about who listens and who was told. */
public record ListeningCluster(RedisCluster cluster) implements AutoCloseable {

  static final RedisKeys KEYS = new RedisKeys("pawl");

  private static final LockOptions LONG_LEASE =
      LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));

  /** What a hand-over took, on all servers: scripts, messages by shard, messages to all. */
  record Told(long scripts, long byShard, long toAll) {}

  /** By the server of the slot alone, without a poll: one script to queue, and one to release. */
  static final Told BY_SHARD = new Told(2, 1, 0);

  /** By a server without shard channels, and without a poll. */
  static final Told TO_ALL = new Told(2, 0, 1);

  /** Returns the {@code redis-server} for shard channels; without one the test is skipped. */
  static String seven() {
    Optional<String> binary = RedisBinary.installedSeven();
    assumeTrue(binary.isPresent(), "there is no redis-server 7 on the PATH");
    return binary.get();
  }

  Pawl connect(String client) {
    return RedisCostTest.connectPatiently(cluster.url() + "?client=" + client);
  }

  List<RedisServer> servers() {
    return cluster.servers();
  }

  static int slot(String name) {
    return Slots.of(KEYS.key(name));
  }

  /** Returns a name whose slot a server has. */
  String nameOn(RedisServer server) {
    return IntStream.range(0, 1_000)
        .mapToObj(i -> "name-" + i)
        .filter(name -> cluster.masterOf(slot(name)) == server)
        .findFirst()
        .orElseThrow();
  }

  /** Counts the shard channels that somebody listens to. */
  static long channels(RedisServer server) {
    return ((List<?>) server.call("PUBSUB", "SHARDCHANNELS")).size();
  }

  /** Waits until so many nodes listen to all tags, of all servers. */
  void awaitListeners(int nodes) {
    until(
        () ->
            servers().stream().mapToLong(ListeningCluster::channels).sum()
                == (long) nodes * RedisKeys.TAGS);
  }

  /** Waits until so many nodes listen at a server for what happens to a name. */
  static void awaitListeners(RedisServer server, String name, int nodes) {
    String channels = "pawl:node:{" + RedisKeys.tag(name) + "}:*";
    until(() -> ((List<?>) server.call("PUBSUB", "SHARDCHANNELS", channels)).size() == nodes);
  }

  private long count(String command) {
    return cluster.live().stream().mapToLong(server -> server.count(command)).sum();
  }

  private long scripts() {
    return count("evalsha") + count("eval");
  }

  /**
   * Hands a lock over from one node to another that waits for it; again, if a poll came between, as
   * it does where a thread stood still for a second.
   */
  Told handOver(Pawl from, Pawl to, String name) throws Exception {
    Told told = handOverOnce(from, to, name);
    for (int round = 2; round <= 10 && told.scripts() != 2; round++) {
      told = handOverOnce(from, to, name);
    }
    return told;
  }

  private Told handOverOnce(Pawl from, Pawl to, String name) throws Exception {
    to.lock(name).acquire().close(); // The scripts are known there.
    Lease held = from.lock(name, LONG_LEASE).acquire();
    cluster.live().forEach(RedisServer::resetStatistics);
    CompletableFuture<Lease> waiting = to.lock(name).acquireAsync(Duration.ofMinutes(1));
    until(() -> scripts() > 0);
    held.close();
    // Before anything is counted: a grant that is not given back soon is confirmed by a script.
    RedisCostTest.giveBack(waiting.get(1, TimeUnit.MINUTES));
    return new Told(scripts() - 1, count("spublish"), count("publish"));
  }

  public static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("it took too long").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  @Override
  public void close() {
    cluster.close();
  }
}
