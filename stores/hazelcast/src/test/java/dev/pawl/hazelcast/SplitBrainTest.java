package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.client.config.RoutingMode;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testkit.Load;
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Members that live and do not reach each other: what the guide says of it is what is seen here.
 */
@Tag("safety")
class SplitBrainTest {

  private static final LockOptions FIVE_SECONDS =
      LockOptions.DEFAULT.withLease(Duration.ofSeconds(5));

  /** A client of one member, on whatever side that is. */
  private static HazelcastInstance clientOf(HazelcastCluster cluster, int member) {
    ClientConfig config = new ClientConfig();
    config.setClusterName(cluster.name());
    config.setProperty("hazelcast.logging.type", "slf4j");
    config.setBackupAckToClientEnabled(false);
    config.getNetworkConfig().addAddress(cluster.member(member).hostAndPort());
    config.getNetworkConfig().getClusterRoutingConfig().setRoutingMode(RoutingMode.SINGLE_MEMBER);
    return HazelcastClient.newHazelcastClient(config);
  }

  private static Pawl pawl(HazelcastInstance client, LockOptions options) {
    return Pawl.builder(HazelcastStore.of(client)).defaults(options).build();
  }

  @Test
  void theSmallerSideGrantsNothing() throws Exception {
    try (HazelcastCluster cluster =
        HazelcastCluster.start(3, Clusters.protectedBy(2).behindProxies())) {
      HazelcastInstance small = clientOf(cluster, 2);
      HazelcastInstance large = clientOf(cluster, 0);
      Waiting.untilSafe(large, 3);
      try (Pawl smaller = pawl(small, FIVE_SECONDS);
          Pawl larger = pawl(large, FIVE_SECONDS)) {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
          String name = "name " + i;
          Waiting.until("granted", () -> held.add(smaller.lock(name).acquire()));
        }
        cluster.cut(2);
        List<String> heldTwice = new CopyOnWriteArrayList<>();
        List<CompletableFuture<Lease>> waiters = new ArrayList<>();
        for (Lease lease : held) {
          waiters.add(
              larger
                  .lock(lease.name())
                  .acquireAsync(Duration.ofMinutes(2))
                  .whenComplete(
                      (later, error) -> {
                        if (later != null && lease.isHeld() && later.isHeld()) {
                          heldTwice.add(lease.name());
                        }
                      }));
        }
        for (int i = 0; i < waiters.size(); i++) {
          Lease later = granted(larger, waiters.get(i), held.get(i).name());
          assertThat(held.get(i).isHeld()).as("lost on the smaller side first").isFalse();
          assertThat(later.token()).isGreaterThan(held.get(i).token());
          later.close();
        }
        assertThat(heldTwice).as("held on both sides").isEmpty();
        Waiting.until(
            "the smaller side has noticed, and is refused",
            () -> {
              try {
                smaller.lock("other").tryAcquire().ifPresent(Lease::close);
                return false;
              } catch (StoreUnavailableException e) {
                return String.valueOf(e.getMessage()).contains("split-brain protection");
              }
            });
        assertThatThrownBy(() -> smaller.lock("name 0").tryAcquire())
            .isInstanceOf(StoreUnavailableException.class);

        cluster.heal();
        Waiting.untilSafe(large, 3);
        Waiting.until("the smaller side is back", () -> takes(smaller, "name 1"));
        Waiting.until("the larger side goes on", () -> takes(larger, "name 2"));
      } finally {
        small.shutdown();
        large.shutdown();
      }
    }
  }

  /**
   * A waiter may have been told that nobody knows while the members were not sure of each other.
   */
  private static Lease granted(Pawl pawl, CompletableFuture<Lease> waiter, String name)
      throws Exception {
    try {
      return waiter.get(2, TimeUnit.MINUTES);
    } catch (ExecutionException e) {
      long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
      while (true) {
        try {
          return pawl.lock(name).acquire();
        } catch (PawlException again) {
          assertThat(System.nanoTime()).isLessThan(end);
          LockSupport.parkNanos(100_000_000);
        }
      }
    }
  }

  private static boolean takes(Pawl pawl, String name) throws Exception {
    try (Lease lease = pawl.lock(name).acquire()) {
      return lease.isHeld();
    }
  }

  @Test
  void withoutProtectionBothSidesGrant() throws Exception {
    try (HazelcastCluster cluster =
        HazelcastCluster.start(3, Clusters.withPawl().behindProxies())) {
      HazelcastInstance small = clientOf(cluster, 2);
      HazelcastInstance large = clientOf(cluster, 0);
      Waiting.untilSafe(large, 3);
      // Leases that outlast a machine that stalls.
      try (Pawl smaller = pawl(small, LockOptions.DEFAULT);
          Pawl larger = pawl(large, LockOptions.DEFAULT)) {
        cluster.cut(2);
        Waiting.until("both sides have noticed", () -> sees(small, 1) && sees(large, 2));
        // Each side has its own copy of everything, and knows nothing of the other.
        Lease[] leases = new Lease[2];
        Waiting.until("granted", () -> (leases[0] = smaller.lock("both").acquire()) != null);
        Waiting.until("granted", () -> (leases[1] = larger.lock("both").acquire()) != null);
        assertThat(leases[0].isHeld() && leases[1].isHeld()).as("held on both sides").isTrue();
        assertThat(leases[1].token()).as("but with a later token").isGreaterThan(leases[0].token());

        cluster.heal();
        Waiting.until("one cluster", () -> sees(small, 3) && sees(large, 3));
        Waiting.until(
            "one of the two is told that it lost", () -> leases[0].isHeld() != leases[1].isHeld());
      } finally {
        small.shutdown();
        large.shutdown();
      }
    }
  }

  private static boolean sees(HazelcastInstance client, int members) {
    return client.getCluster().getMembers().size() == members;
  }

  /**
   * Clients have a port of their own: where they share that of the members, Hazelcast 5.7.0 spins
   * in the thread that writes to a member which accepts connections and then is silent, and the
   * other members on that thread are cut off too.
   */
  @Test
  void aMemberThatIsStoppedLosesItsNamesToItsBackup() throws Exception {
    try (HazelcastCluster cluster =
            HazelcastCluster.start(3, Clusters.protectedBy(2).withClientsApart());
        Pawl a = Pawl.builder(cluster.url() + "?connectTimeout=2m").defaults(FIVE_SECONDS).build();
        Pawl b = Pawl.builder(cluster.url() + "?connectTimeout=2m").defaults(FIVE_SECONDS).build();
        Load load = new Load(List.of(a, b), 12, 4)) {
      load.awaitHolds("by all three", 3);
      long stopped = System.nanoTime();
      cluster.member(0).pause();
      load.awaitHolds("without the one that is stopped", 3);
      while (System.nanoTime() - stopped < TimeUnit.SECONDS.toNanos(20)) {
        LockSupport.parkNanos(100_000_000);
      }
      cluster.member(0).resume();
      HazelcastInstance client = Clusters.client(cluster);
      try {
        Waiting.untilSafe(client, 3);
      } finally {
        client.shutdown();
      }
      load.awaitHolds("with it", 3);
      assertThat(load.violations()).isEmpty();
    }
  }
}
