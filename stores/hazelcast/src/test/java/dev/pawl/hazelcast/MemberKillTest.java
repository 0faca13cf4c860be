package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testkit.Load;
import dev.pawl.testservers.HazelcastCluster;
import dev.pawl.testservers.HazelcastMember;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Members that die or leave under load: a few of them, and 25 with {@code -Dpawl.long=true}. */
@Tag("safety")
class MemberKillTest {

  private static final boolean LONG = Boolean.getBoolean("pawl.long");
  private static final int MEMBERS = 3;
  private static final int HELD = 60;

  @Test
  void noGrantIsLostWithAMember() throws Exception {
    noGrantIsLost(LONG ? 25 : 3, Clusters.protectedBy(2), HazelcastMember::kill);
  }

  /** As in a rolling restart: the member hands its names on before it goes. */
  @Test
  void noGrantIsLostWhenAMemberLeaves() throws Exception {
    noGrantIsLost(
        LONG ? 25 : 1,
        Clusters.protectedBy(2)
            .with("hazelcast.shutdownhook.enabled", "true")
            .with("hazelcast.shutdownhook.policy", "GRACEFUL"),
        HazelcastMember::terminate);
  }

  /** What a member says of a name, as soon as it answers. */
  private static LockInfo seen(Pawl pawl, String name) throws InterruptedException {
    List<Optional<LockInfo>> answers = new ArrayList<>();
    Waiting.until("an answer", () -> answers.add(pawl.inspector().find(name)));
    return answers.get(0).orElseThrow();
  }

  private static void noGrantIsLost(
      int times, HazelcastCluster.Setup setup, Consumer<HazelcastMember> ending) throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(MEMBERS, setup);
        Pawl a = Pawl.connect(cluster.url() + "?connectTimeout=2m");
        Pawl b = Pawl.connect(cluster.url() + "?connectTimeout=2m");
        Pawl holder =
            Pawl.builder(cluster.url() + "?connectTimeout=2m")
                .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(10)))
                .responseTimeout(Duration.ofMinutes(1))
                .build()) {
      HazelcastInstance client = Clusters.client(cluster);
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < HELD; i++) {
        held.add(holder.lock("held " + i).acquire());
      }
      try (Load load = new Load(List.of(a, b), 12, 4)) {
        for (int kill = 0; kill < times; kill++) {
          Waiting.untilSafe(client, MEMBERS);
          ending.accept(cluster.member(kill % MEMBERS));
          Waiting.untilSafe(client, MEMBERS - 1);
          load.awaitHolds("after kill " + kill, 1);
          for (Lease lease : held) {
            assertThat(lease.isHeld()).isTrue();
            assertThat(seen(a, lease.name()).holders())
                .as("after kill " + kill)
                .singleElement()
                .satisfies(seen -> assertThat(seen.token()).isEqualTo(lease.token()));
          }
          assertThat(load.violations()).as("after kill " + kill).isEmpty();
          cluster.member(kill % MEMBERS).startAgain(MEMBERS);
        }
      } finally {
        client.shutdown();
      }
    }
  }
}
