package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testkit.Load;
import dev.pawl.testservers.ZooKeeperEnsemble;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An ensemble whose servers are restarted one after the other, as for an upgrade, under load. */
@Tag("safety")
class RollingRestartTest {

  private static final int ROUNDS = Boolean.getBoolean("pawl.long") ? 5 : 1;

  @Test
  void nobodyHoldsANameTwiceAndWhatIsHeldStaysHeld() throws Exception {
    try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(Map.of());
        Looker looker = new Looker(ensemble.addresses())) {
      String url = "zk://" + ensemble.addresses() + "?sessionTimeout=120s";
      LockOptions lasting = LockOptions.DEFAULT.withLease(Duration.ofMinutes(2));
      try (Pawl a = Pawl.connect(url);
          Pawl b = Pawl.connect(url);
          Pawl holder =
              Pawl.builder(url).defaults(lasting).responseTimeout(Duration.ofMinutes(1)).build();
          Load load = new Load(List.of(a, b), 6, 3)) {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
          held.add(holder.lock("held " + i).acquire());
        }
        load.awaitHolds("by three servers", 3);
        for (int round = 0; round < ROUNDS; round++) {
          for (int server : leaderLast(ensemble)) {
            ZooKeeperServer restarted = ensemble.servers().get(server);
            restarted.process().stop("TERM");
            load.awaitHolds("without server " + server, 3);
            restarted.restart(true);
            load.awaitHolds("with server " + server + " again", 3);
          }
          assertThat(load.violations()).isEmpty();
          for (Lease lease : held) {
            eventually("it is confirmed", () -> ZooKeeperFaultTest.isConfirmed(lease));
          }
        }
        held.forEach(Lease::close);
      }
      eventually("no claim is left", () -> looker.nodesOf("/pawl", "") == 0);
    }
  }

  /** The way it is advised: one election instead of three. */
  private static List<Integer> leaderLast(ZooKeeperEnsemble ensemble) {
    int leader = ensemble.leader();
    return IntStream.of(leader + 1, leader + 2, leader).mapToObj(i -> i % 3).toList();
  }
}
