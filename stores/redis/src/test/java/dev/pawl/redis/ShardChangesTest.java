package dev.pawl.redis;

import static dev.pawl.redis.ListeningCluster.KEYS;
import static dev.pawl.redis.ListeningCluster.seven;
import static dev.pawl.redis.ListeningCluster.slot;
import static dev.pawl.redis.ListeningCluster.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.redis.ListeningCluster.Told;
import dev.pawl.redis.jedis.JedisPorts;
import dev.pawl.redis.lettuce.LettucePorts;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import dev.pawl.redis.port.Slots;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slots that move, masters that are replaced or stall, connections that break. */
class ShardChangesTest extends SevenClusterTest {

  /** How long a master may be silent that is not to be replaced. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aSlotThatMovesIsFollowed(String client) throws Exception {
    try (Pawl a = cluster.connect(client);
        Pawl b = cluster.connect(client)) {
      cluster.awaitListeners(2);
      RedisServer from = cluster.servers().get(0);
      RedisServer to = cluster.servers().get(1);
      String name = cluster.nameOn(from);
      Lease held = a.lock(name).acquire();
      CompletableFuture<Lease> waiting = b.lock(name).acquireAsync(Duration.ofMinutes(1));
      until(() -> a.inspector().find(name).orElseThrow().waiters().size() == 1);

      cluster.cluster().move(slot(name), to);
      held.close();
      RedisCostTest.giveBack(waiting.get(1, TimeUnit.MINUTES));
      ListeningCluster.awaitListeners(to, name, 2);
      assertThatItIsToldByShard(cluster.handOver(a, b, name));
    }
    cluster.awaitListeners(0);
  }

  /** By one message; whether a waiter asks, since some may have been missed, does not matter. */
  private static void assertThatItIsToldByShard(Told told) {
    assertThat(told).isEqualTo(new Told(told.scripts(), 1, 0));
  }

  @Test
  void aReplicaThatIsPromotedIsFollowed() throws Exception {
    try (ListeningCluster replicated =
            new ListeningCluster(RedisCluster.startReplicated(seven(), PATIENCE));
        Pawl a = replicated.connect("lettuce");
        Pawl b = replicated.connect("jedis")) {
      RedisServer master = replicated.servers().get(0);
      RedisServer replica = replicated.cluster().replicas().get(0);
      String name = replicated.nameOn(master);
      ListeningCluster.awaitListeners(master, name, 2);

      master.kill();
      // Only for this one: a master that is slow is left alone.
      setPatience(replicated, Duration.ofSeconds(3));
      ListeningCluster.awaitListeners(replica, name, 2);
      until(() -> replicated.cluster().masterOf(slot(name)) == replica);
      setPatience(replicated, PATIENCE);
      assertThatItIsToldByShard(replicated.handOver(a, b, name));
      assertThatItIsToldByShard(replicated.handOver(b, a, name));
    }
  }

  private static void setPatience(ListeningCluster cluster, Duration patience) {
    String millis = "" + patience.toMillis();
    cluster
        .cluster()
        .live()
        .forEach(each -> each.call("CONFIG", "SET", "cluster-node-timeout", millis));
  }

  /** A port that listens to all channels of one node. */
  private static final class Listener implements AutoCloseable {
    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final AtomicInteger missed = new AtomicInteger();
    private final RedisPort port;
    private final String node;

    Listener(String client) {
      RedisUrl url = RedisUrl.parse(cluster.cluster().url());
      node = client;
      port =
          client.equals("jedis")
              ? JedisPorts.open(url, RedisOptions.DEFAULT.commandTimeout())
              : LettucePorts.open(url, RedisOptions.DEFAULT.commandTimeout());
      var unused =
          port.subscribeSharded(KEYS.shardChannels(node), heard::add, missed::incrementAndGet);
    }

    /** Publishes to each channel, at the master that has it, and waits for all of them. */
    void assertThatAllIsHeard() {
      heard.clear();
      List<String> expected = new ArrayList<>();
      for (String channel : KEYS.shardChannels(node)) {
        RedisServer master = cluster.cluster().masterOf(Slots.of(channel));
        assertThat(master.call("SPUBLISH", channel, channel)).as(channel).isEqualTo(1L);
        expected.add(channel);
      }
      until(() -> heard.size() >= expected.size());
      assertThat(heard).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Override
    public void close() {
      port.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void aConnectionThatBreaksIsOpenedAgainAndThatIsSaid(String client) throws Exception {
    // One that is silent for three seconds is replaced as well.
    Measurement.whereNothingStalls(() -> breakConnections(client));
  }

  private static void breakConnections(String client) {
    try (Listener listener = new Listener(client)) {
      cluster.awaitListeners(1);
      listener.assertThatAllIsHeard();
      assertThat(listener.missed).hasValue(0);

      cluster.servers().forEach(server -> server.call("CLIENT", "KILL", "TYPE", "pubsub"));
      until(() -> listener.missed.get() >= cluster.servers().size());
      cluster.awaitListeners(1);
      listener.assertThatAllIsHeard();
      assertThat(listener.missed)
          .as("for each master, and not for each channel")
          .hasValueLessThan(9);
    }
    cluster.awaitListeners(0);
  }

  @Test
  void aMasterThatStallsIsLeftAndFoundAgain() throws Exception {
    Measurement.whereNothingStalls(ShardChangesTest::stallAMaster);
  }

  private static void stallAMaster() {
    try (Listener lettuce = new Listener("lettuce");
        Listener jedis = new Listener("jedis")) {
      cluster.awaitListeners(2);
      RedisServer stalled = cluster.servers().get(2);
      stalled.pause();
      try {
        pause(Duration.ofSeconds(11)); // Until three signs of life were due.
        assertThat(lettuce.missed.get() + jedis.missed.get()).isEqualTo(0);
      } finally {
        stalled.resume();
      }
      until(() -> lettuce.missed.get() > 0 && jedis.missed.get() > 0);
      cluster.awaitListeners(2);
      lettuce.assertThatAllIsHeard();
      jedis.assertThatAllIsHeard();
    }
  }

  private static void pause(Duration duration) {
    long end = System.nanoTime() + duration.toNanos();
    while (System.nanoTime() < end) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }
}
