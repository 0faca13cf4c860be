package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** I12: the wall clocks of the members are set while names are held. */
@Tag("safety")
class WallClockTest {

  private static final int NAMES = 20;

  private static HazelcastCluster cluster;
  private static HazelcastInstance client;

  @BeforeAll
  static void start() {
    cluster =
        HazelcastCluster.start(
            2, Clusters.withPawl().with(SteppedClock.PROPERTY, SteppedClock.class.getName()));
    client = Clusters.client(cluster);
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    cluster.close();
  }

  /**
   * Members whose clocks were set one after the other refuse calls until they have compared them.
   */
  private static Pawl pawl(Duration lease) throws InterruptedException {
    AtomicReference<Pawl> opened = new AtomicReference<>();
    Waiting.until(
        "members answer",
        () -> {
          opened.set(
              Pawl.builder(cluster.url() + "?connectTimeout=2m&timeout=20s")
                  .defaults(LockOptions.DEFAULT.withLease(lease))
                  .responseTimeout(Duration.ofSeconds(30))
                  .build());
          return true;
        });
    return opened.get();
  }

  @Test
  void whatIsHeldStaysHeldWhenAWallClockIsSet() throws Exception {
    for (Duration by :
        List.of(Duration.ofHours(1), Duration.ofDays(20_000), Duration.ofHours(-3))) {
      try (Pawl a = pawl(Duration.ofMinutes(10));
          Pawl b = pawl(Duration.ofMinutes(10))) {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < NAMES; i++) {
          held.add(a.lock("held " + i).acquire());
        }
        SteppedClock.step(client, by);
        for (Lease lease : held) {
          Waiting.until("members answer", () -> b.inspector().find(lease.name()) != null);
          assertThat(b.lock(lease.name()).tryAcquire()).as(lease.name() + ", " + by).isEmpty();
          assertThat(lease.isHeld()).isTrue();
          lease.close();
          try (Lease next = b.lock(lease.name()).acquire()) {
            assertThat(next.token()).isGreaterThan(lease.token());
          }
        }
      }
    }
  }

  @Test
  void whatADeadHolderLeavesGoesThoughTheWallClockIsSetBack() throws Exception {
    try (Pawl pawl = pawl(Duration.ofMinutes(10))) {
      LockOptions dies = LockOptions.DEFAULT.withLease(Duration.ofSeconds(1)).withRenewal(false);
      for (int i = 0; i < NAMES; i++) {
        assertThat(pawl.lock("dead " + i, dies).acquire().token()).isPositive();
      }
      SteppedClock.step(client, Duration.ofHours(-1));
      Waiting.until(
          "nothing is left in the map",
          () ->
              client.<String, byte[]>getMap("pawl.locks").keySet().stream()
                  .noneMatch(name -> name.startsWith("dead ")));
    }
  }
}
