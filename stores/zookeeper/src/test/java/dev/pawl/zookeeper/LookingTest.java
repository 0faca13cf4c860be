package dev.pawl.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Looking at a store creates nothing in it. */
class LookingTest {

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

  private static <T> T of(CompletionStage<T> stage) throws Exception {
    return stage.toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @Test
  void whoLooksWhereNobodyHasTakenALockCreatesNothing() throws Exception {
    String url = "zk://" + server.address() + "/not/there";
    try (LockStore store = new ZooKeeperStoreProvider().openExisting(url)) {
      assertThat(store).isInstanceOf(AbsentStore.class);
      assertThat(of(store.list(Listing.all("", 10)))).isEmpty();
      assertThat(of(store.examine()))
          .anySatisfy(finding -> assertThat(finding.what()).contains("there is no /not/there yet"));
      long off = of(store.nowMicros()) / 1_000 - Instant.now().toEpochMilli();
      assertThat(Duration.ofMillis(off).abs()).isLessThan(Duration.ofSeconds(20));
      assertThatThrownBy(() -> of(store.journal().append(null, "x", 1, "n", null)))
          .hasCauseInstanceOf(UnsupportedByStoreException.class);
    }
    assertThat(looker.children("/"))
        .doesNotContain("not")
        .noneMatch(n -> n.startsWith("pawl-clock"));
  }

  @Test
  void whoLooksSeesWhatThereIs() throws Exception {
    String url = "zk://" + server.address() + "/there?sessionTimeout=60s";
    try (Pawl pawl = Pawl.builder(url).responseTimeout(Duration.ofMinutes(1)).build();
        Lease lease = pawl.lock("held").acquire();
        LockStore store = new ZooKeeperStoreProvider().openExisting(url)) {
      assertThat(of(store.find("held")).orElseThrow().holders().get(0).token())
          .isEqualTo(lease.token());
      assertThat(looker.children("/there/sessions")).as("of the holder alone").hasSize(1);
    }
  }

  @Test
  void aMarkIsKeptForAsLongAsItWasToBeAndThenDeleted() throws Exception {
    try (ZooKeeperStore store = ZooKeeperFaultTest.open(server.address() + "/marks", 60);
        Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build()) {
      var unused = pawl.job("fresh").run(Instant.EPOCH.plusSeconds(7), run -> {});
      String fresh = looker.children("/marks/marks").get(0);
      byte[] old = looker.zk.getData("/marks/marks/" + fresh, false, null);
      ByteBuffer.wrap(old).putLong(8, 1); // Kept for a microsecond.
      for (int i = 0; i < 450; i++) {
        looker.create("/marks/marks/old-" + i, old);
      }

      assertThat(of(store.deleteOldMarks())).isEqualTo(450);

      assertThat(looker.children("/marks/marks")).isEqualTo(List.of(fresh));
      assertThat(of(store.deleteOldMarks())).isZero();
    }
  }
}
