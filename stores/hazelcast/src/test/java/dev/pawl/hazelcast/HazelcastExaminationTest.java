package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.EvictionPolicy;
import dev.pawl.spi.Finding;
import dev.pawl.testservers.HazelcastCluster;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What {@code pawl doctor} shows of a cluster. */
class HazelcastExaminationTest {

  private static List<Finding> findings(HazelcastStore store) throws Exception {
    return store.examine().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static List<String> of(Finding.Level level, List<Finding> findings) {
    return findings.stream().filter(f -> f.level() == level).map(Finding::what).toList();
  }

  @Test
  void membersThatWerePreparedAreFine() throws Exception {
    try (Embedded members = new Embedded(2, 2);
        HazelcastStore store = HazelcastStore.of(members.member(0), Clusters.PATIENT)) {
      List<Finding> findings = findings(store);
      assertThat(of(Finding.Level.UNSAFE, findings)).isEmpty();
      assertThat(of(Finding.Level.FINE, findings))
          .containsExactly(
              "members that keep data: 2",
              "backup-count is 1",
              "the split-brain protection wants 2");
      assertThat(of(Finding.Level.WARNING, findings))
          .containsExactly(
              "Hazelcast's maps stay available when the network is cut, at the price of"
                  + " consistency");
    }
  }

  @Test
  void missingProtectionIsReported() throws Exception {
    try (Embedded members = new Embedded(1);
        HazelcastStore store = HazelcastStore.of(members.member(0), Clusters.PATIENT)) {
      List<Finding> findings = findings(store);
      assertThat(of(Finding.Level.UNSAFE, findings))
          .containsExactly("the map pawl.locks has no split-brain protection");
      assertThat(of(Finding.Level.WARNING, findings))
          .contains(
              "one member keeps data",
              "hazelcast.operation.fail.on.indeterminate.state is not true");
    }
  }

  @Test
  void aMapThatForgetsIsReported() throws Exception {
    String map =
        """
        <map name="pawl.*">
          <backup-count>0</backup-count>
          <max-idle-seconds>60</max-idle-seconds>
          <eviction eviction-policy="%s" max-size-policy="PER_NODE" size="1000"/>
        </map>
        """
            .formatted(EvictionPolicy.LRU);
    try (HazelcastCluster cluster = HazelcastCluster.start(1, Clusters.withPawl().withMaps(map));
        HazelcastStore store = HazelcastStore.open(cluster.url(), Clusters.PATIENT)) {
      assertThat(of(Finding.Level.UNSAFE, findings(store)))
          .contains(
              "the map pawl.locks has no synchronous backup",
              "entries of the map pawl.locks are evicted");
    }
  }
}
