package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Listing;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that the application treats badly, and roots with more in them than ours. */
class SurroundingsTest {

  private static final Duration LONG = Duration.ofSeconds(30);
  private static final Duration PATIENT = Duration.ofMinutes(1);
  private static ZooKeeperServer server;
  private static Looker looker;

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

  private static CuratorFramework client(String connect) {
    return CuratorFrameworkFactory.builder()
        .connectString(connect)
        .sessionTimeoutMs(60_000)
        .retryPolicy(new RetryOneTime(100))
        .build();
  }

  @Test
  void aClientThatIsNotStartedOrIsClosedIsRefusedWithTheReason() {
    CuratorFramework client = client(server.address());
    assertThatThrownBy(() -> ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the CuratorFramework is not started; call its start() first");
    client.start();
    client.close();
    assertThatThrownBy(() -> ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the CuratorFramework is closed; hand in one that is open");
  }

  @Test
  void aViewOfAClientIsRefusedWithTheReason() {
    try (CuratorFramework client = client(server.address())) {
      client.start();
      assertThatThrownBy(
              () -> ZooKeeperStore.over(client.usingNamespace("shop"), ZooKeeperOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("hand in the client that was built")
          .hasMessageContaining("ZooKeeperOptions.withRoot");
    }
  }

  @Test
  void whatAClientOfAUserMakesCanBeForThatUserAlone() throws Exception {
    ZooKeeperOptions options = ZooKeeperOptions.DEFAULT.withRoot("/own").withCreatorOnly(true);
    try (CuratorFramework nobody = client(server.address());
        CuratorFramework alice =
            CuratorFrameworkFactory.builder()
                .connectString(server.address())
                .authorization("digest", "alice:secret".getBytes(StandardCharsets.UTF_8))
                .retryPolicy(new RetryOneTime(100))
                .build()) {
      nobody.start();
      assertThatThrownBy(() -> ZooKeeperStore.over(nobody, options))
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining("creatorOnly a client that is logged in");
      alice.start();
      try (ZooKeeperStore store = ZooKeeperStore.over(alice, options);
          Pawl pawl = Pawl.builder(store).responseTimeout(PATIENT).build();
          Lease lease = pawl.lock("x").acquire(LONG)) {
        assertThat(lease.isHeld()).isTrue();
        assertThatThrownBy(() -> looker.zk.getChildren("/own/locks", false))
            .isInstanceOf(KeeperException.NoAuthException.class);
      }
    }
  }

  /** Its session ends with it, and whoever is next gets the name at once. */
  @Test
  @Tag("safety")
  void aClientThatIsClosedTooEarlyEndsItsLeasesBeforeAnotherHasThem() throws Exception {
    try (CuratorFramework client = client(server.address());
        Pawl other =
            Pawl.builder("zk://" + server.address() + "?sessionTimeout=60s")
                .responseTimeout(PATIENT)
                .build()) {
      client.start();
      ZooKeeperStore store = ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT);
      Pawl pawl = Pawl.builder(store).responseTimeout(PATIENT).build();
      Pawl brief = Pawl.builder(store).responseTimeout(Duration.ofSeconds(1)).build();
      List<Lease> leases = new ArrayList<>();
      CountDownLatch lost = new CountDownLatch(100);
      for (int i = 0; i < 100; i++) {
        leases.add(pawl.lock("early-" + i).acquire(LONG));
        leases.get(i).onLost(lost::countDown);
      }
      var next = other.lock("early-0").acquireAsync(LONG);

      client.close();

      try (Lease lease = next.get(30, TimeUnit.SECONDS)) {
        assertThat(leases.get(0).isHeld()).as("while another holds it").isFalse();
        assertThat(lease.isHeld()).isTrue();
      }
      assertThat(lost.await(30, TimeUnit.SECONDS)).isTrue();
      assertThat(leases).noneMatch(Lease::isHeld);
      assertThatThrownBy(() -> brief.lock("later").tryAcquire())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("was closed; close it after Pawl");
      brief.close();
      pawl.close();
      store.close();
    }
  }

  @Test
  void aPathInTheConnectStringThatIsNotThereIsSaid() {
    try (CuratorFramework client = client(server.address() + "/missing")) {
      client.start();
      assertThatThrownBy(() -> ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT))
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining("if the client's connect string ends with a path, create that");
    }
  }

  @Test
  void aRootThatMayNotBeMadeIsSaidWithTheNodeThatMayNot() throws Exception {
    looker.create("/closed", new byte[0]);
    looker.zk.setACL("/closed", ZooDefs.Ids.READ_ACL_UNSAFE, -1);
    String url = "zk://user:secret@" + server.address() + "/closed/apps/pawl?sessionTimeout=60s";
    assertThatThrownBy(() -> ZooKeeperStore.open(url))
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("does not allow it at /closed/apps:")
        .hasMessageNotContaining("secret");
  }

  /** ZooKeeper's client drops a connection by which more than a megabyte comes at once. */
  @Test
  void aListOfMoreThanAMegabyteIsReadAndSomebodyElsesNodesAreLeftOut() throws Exception {
    String url = "zk://" + server.address() + "/long?sessionTimeout=60s";
    try (ZooKeeperStore store = ZooKeeperStore.open(url);
        Pawl pawl = lasting(store);
        Lease lease = pawl.lock("zz").acquire(LONG)) {
      String name = "/long/locks/" + "n".repeat(200);
      for (int from = 0; from < 6_000; from += 500) {
        List<Op> creations = new ArrayList<>();
        for (int i = from; i < from + 500; i++) {
          creations.add(creation(name + i));
        }
        var unused = looker.zk.multi(creations);
      }
      looker.create("/long/locks/100%", new byte[0]);

      List<LockInfo> found =
          store.list(Listing.inUse("", 10)).toCompletableFuture().get(60, TimeUnit.SECONDS);

      assertThat(found).extracting(LockInfo::name).containsExactly("zz");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  /** What it holds is not lost by a machine that stalls. */
  private static Pawl lasting(ZooKeeperStore store) {
    return Pawl.builder(store)
        .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(5)))
        .responseTimeout(PATIENT)
        .build();
  }

  private static Op creation(String path) {
    return Op.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
  }

  /** One request for all of them would be more than servers accept. */
  @Test
  void aLineOfThousandsIsSeen() throws Exception {
    String url = "zk://" + server.address() + "?sessionTimeout=240s";
    try (ZooKeeperStore store = ZooKeeperStore.open(url);
        Pawl pawl = lasting(store)) {
      List<Lease> readers = new ArrayList<>();
      var acquired = new ArrayList<CompletableFuture<Lease>>();
      String name = "é".repeat(125); // 750 bytes in a path, as each byte of it is escaped.
      for (int i = 0; i < 1_400; i++) {
        acquired.add(pawl.readWriteLock(name).readLock().acquireAsync(Duration.ofMinutes(4)));
      }
      for (var each : acquired) {
        readers.add(each.get(4, TimeUnit.MINUTES));
      }
      assertThat(pawl.inspector().find(name).orElseThrow().holders()).hasSize(1_400);
      readers.forEach(Lease::close);
      eventually("nothing is left", () -> looker.nodesOf("/pawl", name) == 0);
    }
  }
}
