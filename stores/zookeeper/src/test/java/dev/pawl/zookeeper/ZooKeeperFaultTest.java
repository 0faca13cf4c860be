package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.tree.Place.Kind.FAIR;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.tree.Place;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One server, and a connection to it that fails. */
class ZooKeeperFaultTest {

  private static final Duration LONG = Duration.ofSeconds(60);

  /** Two fifths of it are longer than a busy machine stalls. */
  private static final int SESSION_SECONDS = 60;

  /** How long a busy machine may take to start servers and to have them elect a leader. */
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private static ZooKeeperServer server;
  private static Looker looker;

  private final FaultProxy proxy = FaultProxy.to("127.0.0.1", server.port());
  private final ZooKeeperStore behind = open("127.0.0.1:" + proxy.port(), SESSION_SECONDS);
  private final ZooKeeperStore direct = open(server.address(), SESSION_SECONDS);
  private final Pawl a = Pawl.builder(behind).label("a").responseTimeout(LONG).build();
  private final Pawl b = Pawl.builder(direct).label("b").responseTimeout(LONG).build();

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
    looker = new Looker(server.address());
  }

  @AfterAll
  static void stop() {
    looker.close();
    server.close();
  }

  @AfterEach
  void close() {
    proxy.heal();
    a.close();
    b.close();
    behind.close();
    direct.close();
    proxy.close();
  }

  static ZooKeeperStore open(String addresses, int sessionSeconds) {
    return ZooKeeperStore.open(
        "zk://" + addresses,
        ZooKeeperOptions.DEFAULT.withSessionTimeout(Duration.ofSeconds(sessionSeconds)));
  }

  static void eventually(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - end).as(what).isNegative();
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** Whether the store says that it stands; it must not be lost meanwhile. */
  static boolean isConfirmed(Lease lease) {
    try {
      lease.confirm();
      return true;
    } catch (StoreUnavailableException | OutcomeUnknownException e) {
      assertThat(lease.isHeld()).as("%s", e).isTrue();
      return false;
    }
  }

  @Test
  void aConnectionThatIsCutInsideAnAcquireLeavesOneGrantOrNone() throws Exception {
    for (int round = 0; round < 5; round++) {
      String name = "cut-in-acquire-" + round;
      proxy.dropReplies();
      CompletableFuture<Lease> waiting = a.lock(name).acquireAsync(LONG);
      eventually("the node is there", () -> looker.nodesOf("/pawl", name) > 1);
      proxy.cut();
      proxy.heal();

      Lease lease = waiting.get(60, TimeUnit.SECONDS);

      lease.ensureHeld();
      assertThat(looker.nodesOf("/pawl", name)).as("the name and one claim").isEqualTo(2);
      lease.close();
      b.lock(name).acquire(LONG).close();
    }
  }

  @Test
  void aReleaseThatWasNotAnsweredIsRepeated() throws Exception {
    Lease lease = a.lock("cut-in-release").acquire();
    proxy.dropReplies();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(lease::close);
    eventually("it is released", () -> looker.nodesOf("/pawl", "cut-in-release") <= 1);
    proxy.cut();
    proxy.heal();

    closing.get(60, TimeUnit.SECONDS);
    assertThat(b.lock("cut-in-release").acquire(LONG).token()).isGreaterThan(lease.token());
  }

  @Test
  void aReleaseThatNeverArrivedIsRepeatedUntilItIsSure() throws Exception {
    Lease lease = a.lock("silent-release").acquire();
    proxy.stall();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(lease::close);
    proxy.cut();
    proxy.heal();

    b.lock("silent-release").acquire(LONG).close();
    closing.get(60, TimeUnit.SECONDS);
  }

  @Test
  void aConnectionThatIsCutInsideARenewalCostsNothing() throws Exception {
    Lease lease =
        a.lock("cut-in-renewal", LockOptions.DEFAULT.withLease(Duration.ofMinutes(1))).acquire();
    for (int i = 0; i < 3; i++) {
      proxy.cut();
      proxy.heal();
      eventually("it is confirmed again", () -> isConfirmed(lease));
    }
    assertThat(lease.isHeld()).isTrue();
    lease.close();
  }

  @Test
  void anOutageIsNoRefusal() throws Exception {
    Pawl impatient =
        Pawl.builder(behind).label("i").responseTimeout(Duration.ofMillis(600)).build();
    proxy.stall();
    proxy.cut();
    try {
      assertThatThrownBy(() -> impatient.lock("outage").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class)
          .hasMessageContaining("outage");
    } finally {
      proxy.heal();
      impatient.close();
    }
  }

  @Test
  @Tag("safety")
  void aSessionThatWasExpiredByForceLosesItsLeasesAndItsWaitersQueueAgain() throws Exception {
    Lease lease = a.lock("expired").acquire();
    CountDownLatch lost = new CountDownLatch(1);
    lease.onLost(lost::countDown);
    Lease held = b.lock("wanted").acquire();
    CompletableFuture<Lease> waiting = a.lock("wanted").acquireAsync(LONG.multipliedBy(3));
    eventually("a waits", () -> looker.nodesOf("/pawl", "wanted") == 3);

    expire(behind, server.address());

    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(lease.isHeld()).isFalse();
    assertThat(b.lock("expired").acquire(LONG).token()).isGreaterThan(lease.token());
    eventually("a waits again", () -> looker.nodesOf("/pawl", "wanted") == 3);
    held.close();
    Lease next = waiting.get(60, TimeUnit.SECONDS);
    assertThat(next.token()).isGreaterThan(held.token());
    next.close();
  }

  /** Ends the session of a store by a second client of the same session that says goodbye. */
  static void expire(ZooKeeperStore store, String address) throws Exception {
    ZooKeeper zk = store.client().getZookeeperClient().getZooKeeper();
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper twin =
        new ZooKeeper(
            address,
            zk.getSessionTimeout(),
            event -> connected.countDown(),
            zk.getSessionId(),
            zk.getSessionPasswd());
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    twin.close();
  }

  @Test
  @Tag("safety")
  void aNodeThatIsCutOffKnowsItBeforeItsSessionEnds() throws Exception {
    try (ZooKeeperStore brief = open("127.0.0.1:" + proxy.port(), 6);
        Pawl cutOff = Pawl.builder(brief).label("c").responseTimeout(LONG).build()) {
      Lease lease =
          cutOff.lock("cut-off", LockOptions.DEFAULT.withLease(Duration.ofMinutes(10))).acquire();
      proxy.stall();
      try {
        Lease next = b.lock("cut-off").acquire(LONG);

        assertThat(lease.isHeld()).as("while another holds it").isFalse();
        assertThat(next.token()).isGreaterThan(lease.token());
        next.close();
      } finally {
        proxy.heal();
      }
    }
  }

  @Test
  void aLeaseThatIsNotRenewedEndsWhileItsProcessLives() throws Exception {
    Lease lease =
        a.lock("brief", LockOptions.DEFAULT.withLease(Duration.ofMillis(500)).withRenewal(false))
            .acquire();
    long start = System.nanoTime();

    Lease next = b.lock("brief").acquire(LONG);

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .as("long before the session could end")
        .isLessThan(Duration.ofSeconds(20));
    assertThat(lease.isHeld()).isFalse();
    next.close();
  }

  @Test
  void theTimeoutThatTheServersMadeOfOursIsAFinding() {
    try (ZooKeeperStore wants = open(server.address(), 600)) {
      assertThat(wants.examine().toCompletableFuture().join())
          .anySatisfy(
              finding -> assertThat(finding.what()).contains("300000 ms; 600000 ms was asked for"));
    }
  }

  /**
   * One that waits for a mark leaves when that is reached; its process may be stopped just then.
   */
  @Test
  void aClaimBehindOneWhoseMarkWasReachedIsAnswered() throws Exception {
    ClaimId runner = new ClaimId("runner", 1);
    var granted = direct.acquire(acquire(runner, OptionalLong.of(5))).toCompletableFuture();
    assertThat(granted.get(60, TimeUnit.SECONDS)).isInstanceOf(AcquireReply.Granted.class);
    String standby = Place.prefix(acquire(new ClaimId("stopped", 1), OptionalLong.of(5)), FAIR);
    looker.zk.create(
        "/pawl/locks/marked/" + standby,
        new byte[0],
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL);
    var released =
        direct
            .release(new Command.Release("marked", runner, 1, OptionalLong.of(5), false))
            .toCompletableFuture();
    assertThat(released.get(60, TimeUnit.SECONDS)).isEqualTo(ReleaseReply.RELEASED);

    AcquireReply reply =
        direct
            .acquire(acquire(new ClaimId("next", 1), OptionalLong.empty()))
            .toCompletableFuture()
            .get(60, TimeUnit.SECONDS);

    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
  }

  private static Command.Acquire acquire(ClaimId claim, OptionalLong mark) {
    int all = Command.EVERYTHING;
    return new Command.Acquire(
        "marked", claim, all, all, 60_000_000, 1, mark, true, true, "label", "actor");
  }

  @Test
  void aServerThatIsRestartedFindsEverybodyWhereTheyWere() throws Exception {
    try (ZooKeeperServer own = ZooKeeperServer.start();
        // Two fifths of its session a node counts on what it holds without an answer: that is
        // longer than this test waits for the server.
        ZooKeeperStore store = open(own.address(), 240);
        Pawl pawl = Pawl.builder(store).responseTimeout(LONG).build()) {
      LockOptions lasting = LockOptions.DEFAULT.withLease(Duration.ofMinutes(5));
      Lease lease = pawl.lock("restart", lasting).acquire();
      Lease other = pawl.lock("other", lasting).acquire();
      own.kill();
      own.restart(true);

      eventually("it is confirmed again", () -> isConfirmed(lease));
      assertThat(lease.isHeld()).isTrue();
      lease.close();
      other.close();
      assertThat(pawl.lock("restart").acquire(LONG).token()).isGreaterThan(lease.token());
    }
  }
}
