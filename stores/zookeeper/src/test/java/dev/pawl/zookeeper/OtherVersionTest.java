package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.tree.Place;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.ZooDefs;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Nodes that another version of Pawl has made: nobody holds a name beside one that may hold it. */
class OtherVersionTest {

  private static final Duration LONG = Duration.ofSeconds(30);
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

  private static Pawl connect() {
    return Pawl.builder("zk://" + server.address() + "?sessionTimeout=60s")
        .responseTimeout(LONG)
        .build();
  }

  /** A place in the line of a name; returns its path. */
  private static String stand(String name, String prefix, byte[] data) throws Exception {
    if (looker.zk.exists("/pawl/locks/" + name, false) == null) {
      looker.create("/pawl/locks/" + name, new byte[0]);
    }
    return looker.zk.create(
        "/pawl/locks/" + name + "/" + prefix,
        data,
        ZooDefs.Ids.OPEN_ACL_UNSAFE,
        CreateMode.EPHEMERAL_SEQUENTIAL);
  }

  @Test
  @Tag("safety")
  void aPlaceThatCannotBeReadIsAnErrorThatNamesItAndNeverASecondHolder() throws Exception {
    try (Pawl pawl = connect()) {
      String stranger = stand("newer", "e.x.x..4711.node.1.", new byte[] {9});

      assertThatThrownBy(() -> pawl.lock("newer").tryAcquire())
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining(stranger)
          .hasMessageContaining("use one version of Pawl");
      assertThatThrownBy(() -> pawl.lock("newer").acquire(LONG))
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining(stranger);
      assertThatThrownBy(() -> pawl.semaphore("newer", 4).acquire(1, LONG))
          .isExactlyInstanceOf(PawlException.class);
      eventually(
          "nothing of ours is left in the line",
          () -> looker.children("/pawl/locks/newer").size() == 1);

      looker.zk.delete(stranger, -1);
      pawl.lock("newer").acquire(LONG).close();
    }
  }

  @Test
  void whoWaitsIsToldAndOtherLeasesOfTheNodeGoOn() throws Exception {
    try (Pawl pawl = connect();
        Pawl other = connect()) {
      List<Lease> leases = new ArrayList<>();
      LockOptions lasting = LockOptions.DEFAULT.withLease(Duration.ofMinutes(1));
      for (int i = 0; i < 20; i++) {
        leases.add(pawl.lock("others-" + i, lasting).acquire(LONG));
      }
      Lease held = other.lock("waited-for", lasting).acquire(LONG);
      var waiting = pawl.lock("waited-for").acquireAsync(Duration.ofMinutes(5));
      eventually("it waits", () -> looker.children("/pawl/locks/waited-for").size() == 2);
      stand("waited-for", "e.x.x..4711.node.2.", new byte[] {9});

      assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isExactlyInstanceOf(PawlException.class)
          .hasMessageContaining("use one version of Pawl");
      assertThat(held.isHeld()).as("who held it before goes on").isTrue();
      held.confirm();
      leases.forEach(Lease::confirm);
      assertThat(leases).allMatch(Lease::isHeld);
      held.close();
    }
  }

  @Test
  void whoHoldsWithDataThatCannotBeReadHoldsAndIsShown() throws Exception {
    try (Pawl pawl = connect()) {
      String path = stand("data", prefix(), new byte[] {9, 1, 2, 3});

      assertThat(pawl.lock("data").tryAcquire()).isEmpty();
      LockInfo info = pawl.inspector().find("data").orElseThrow();
      assertThat(info.holders())
          .singleElement()
          .satisfies(holder -> assertThat(holder.label()).isEqualTo("another version of Pawl"));
      var waiting = pawl.lock("data").acquireAsync(Duration.ofMinutes(1));
      eventually("it waits", () -> looker.children("/pawl/locks/data").size() == 2);
      looker.zk.delete(path, -1);
      waiting.get(60, TimeUnit.SECONDS).close();
    }
  }

  private static String prefix() {
    int all = Command.EVERYTHING;
    return Place.prefix(
        new Command.Acquire(
            "data",
            new ClaimId("newer", 1),
            all,
            all,
            60_000_000,
            1,
            OptionalLong.empty(),
            true,
            true,
            "label",
            "actor"),
        Place.Kind.FAIR);
  }
}
