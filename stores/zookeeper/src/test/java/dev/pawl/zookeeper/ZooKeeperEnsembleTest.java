package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.ZooKeeperEnsemble;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three servers: the leader killed, a follower paused or cut off, the quorum lost and back. */
class ZooKeeperEnsembleTest {

  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Map<String, FaultProxy> ROUTES = new HashMap<>();
  private static ZooKeeperEnsemble ensemble;

  @BeforeAll
  static void start() {
    ensemble =
        ZooKeeperEnsemble.start(
            Map.of(),
            (from, to, port) ->
                ROUTES
                    .computeIfAbsent(from + ">" + to, route -> FaultProxy.to("127.0.0.1", port))
                    .port());
  }

  @AfterAll
  static void stop() {
    ensemble.close();
    ROUTES.values().forEach(FaultProxy::close);
  }

  private static ZooKeeperStore open(String addresses, int sessionSeconds) {
    return ZooKeeperFaultTest.open(addresses, sessionSeconds);
  }

  /** A lease, as soon as there are servers who give it. */
  private static Lease acquired(Pawl pawl, String name) throws InterruptedException {
    long end = System.nanoTime() + 2 * LONG.toNanos();
    while (true) {
      try {
        return pawl.lock(name).acquire(LONG);
      } catch (StoreUnavailableException | OutcomeUnknownException e) {
        assertThat(System.nanoTime() - end).as("%s", e).isNegative();
      }
    }
  }

  /** A lease that stands; one of a session as short as that may be lost where a machine stalls. */
  private static Lease confirmed(DistributedLock lock) throws InterruptedException {
    long end = System.nanoTime() + 2 * LONG.toNanos();
    while (true) {
      Lease lease = lock.acquire(LONG);
      try {
        lease.confirm();
        return lease;
      } catch (LeaseLostException e) {
        assertThat(System.nanoTime() - end).as("%s", e).isNegative();
      }
    }
  }

  /**
   * The follower goes on answering reads and pings, and the leader ends the session. Whoever counts
   * on those answers holds a lock that another one holds too.
   */
  @Test
  @Tag("safety")
  void aLeaseBehindAFollowerThatIsCutOffFromItsLeaderIsLostBeforeAnotherIsGranted()
      throws Exception {
    int leader = ensemble.leader();
    int follower = (leader + 1) % 3;
    try (ZooKeeperStore cut = open(ensemble.servers().get(follower).address(), 5);
        ZooKeeperStore well = open(ensemble.servers().get(leader).address(), 5);
        Pawl a = Pawl.builder(cut).label("a").responseTimeout(LONG).build();
        Pawl b = Pawl.builder(well).label("b").responseTimeout(LONG).build();
        Looker reader = new Looker(ensemble.servers().get(follower).address())) {
      assertThat(reader.children("/pawl")).isNotEmpty();
      Lease lease =
          confirmed(a.lock("cut-follower", LockOptions.DEFAULT.withLease(Duration.ofMinutes(10))));
      CountDownLatch lost = new CountDownLatch(1);
      lease.onLost(lost::countDown);

      ROUTES.get(follower + ">" + leader).stall();
      try {
        Lease next = b.lock("cut-follower").acquire(LONG);

        assertThat(lease.isHeld()).as("while another holds it").isFalse();
        assertThat(next.token()).isGreaterThan(lease.token());
        assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
        assertThat(reader.children("/pawl")).as("the follower still answers").isNotEmpty();
        next.close();
      } finally {
        ROUTES.get(follower + ">" + leader).heal();
      }
    }
  }

  @Test
  void aLeaderThatIsKilledCostsNoLease() throws Exception {
    // An election may take most of a minute: who loses one waits for longer before the next.
    try (ZooKeeperStore store = open(ensemble.addresses(), 300);
        Pawl a = Pawl.builder(store).label("a").responseTimeout(LONG).build()) {
      Lease lease =
          a.lock("leader-killed", LockOptions.DEFAULT.withLease(Duration.ofMinutes(10))).acquire();
      int leader = ensemble.leader();
      ensemble.servers().get(leader).kill();
      try {
        ZooKeeperFaultTest.eventually(
            "it is confirmed again", () -> ZooKeeperFaultTest.isConfirmed(lease));
        lease.close();
      } finally {
        ensemble.servers().get(leader).restart(true);
      }
    }
  }

  @Test
  @Tag("safety")
  void noTokenGoesBackWhenTheLeaderIsKilled() throws Exception {
    try (ZooKeeperStore store = open(ensemble.addresses(), 100);
        ZooKeeperStore other = open(ensemble.addresses(), 100);
        Pawl a = Pawl.builder(store).label("a").build();
        Pawl b = Pawl.builder(other).label("b").build()) {
      Lease first = acquired(a, "tokens");
      long before = first.token();
      first.close();
      int leader = ensemble.leader();
      ensemble.servers().get(leader).kill();
      try {
        Lease next = acquired(b, "tokens");
        assertThat(next.token()).isGreaterThan(before);
        assertThat(acquired(a, "tokens-2").token()).isGreaterThan(before);
        next.close();
      } finally {
        ensemble.servers().get(leader).restart(true);
      }
    }
  }

  @Test
  void aFollowerThatIsPausedIsLeftForAnother() throws Exception {
    int leader = ensemble.leader();
    ZooKeeperServer follower = ensemble.servers().get((leader + 1) % 3);
    try (ZooKeeperStore store = open(ensemble.addresses(), 6);
        Pawl a = Pawl.builder(store).label("a").build()) {
      follower.pause();
      try {
        for (int i = 0; i < 5; i++) {
          acquired(a, "paused").close();
        }
      } finally {
        follower.resume();
      }
    }
  }

  @Test
  @Tag("safety")
  void withoutAQuorumNobodyIsGrantedAndAfterwardsEverybodyIs() throws Exception {
    int leader = ensemble.leader();
    ZooKeeperServer first = ensemble.servers().get((leader + 1) % 3);
    ZooKeeperServer second = ensemble.servers().get((leader + 2) % 3);
    try (ZooKeeperStore store = open(ensemble.addresses(), 10);
        ZooKeeperStore other = open(ensemble.addresses(), 10);
        Pawl a = Pawl.builder(store).label("a").responseTimeout(Duration.ofSeconds(1)).build();
        Pawl b = Pawl.builder(other).label("b").build()) {
      Lease lease = acquired(a, "quorum");
      CountDownLatch lost = new CountDownLatch(1);
      lease.onLost(lost::countDown);
      first.kill();
      second.kill();
      try {
        assertThat(lost.await(60, TimeUnit.SECONDS)).as("it cannot be confirmed").isTrue();
      } finally {
        first.restart(false);
        second.restart(false);
      }

      Lease next = acquired(b, "quorum");
      assertThat(next.token()).isGreaterThan(lease.token());
      next.close();
    }
  }
}
