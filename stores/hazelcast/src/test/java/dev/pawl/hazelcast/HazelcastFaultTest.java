package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.HazelcastCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Outages, as a client sees them. */
class HazelcastFaultTest {

  @Test
  void aClusterThatIsGoneIsAnOutageAndNeverBusyAndComesBack() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(1, Clusters.withPawl());
        Pawl pawl =
            Pawl.builder(cluster.url() + "?connectTimeout=2m")
                .responseTimeout(Duration.ofSeconds(2))
                .build()) {
      Lease[] held = new Lease[1];
      Waiting.until("granted", () -> (held[0] = pawl.lock("held").acquire()) != null);
      Lease lease = held[0];
      cluster.member(0).kill();
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> pawl.lock("other").tryAcquire())
            .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      }
      Waiting.until("the lease is lost at its deadline", () -> !lease.isHeld());

      cluster.member(0).startAgain(1);
      Waiting.until(
          "it is granted again, with a later token",
          () -> {
            try (Lease later = pawl.lock("held").acquire()) {
              return later.token() > lease.token();
            }
          });
    }
  }

  @Test
  void aMemberThatDoesNotAnswerIsDoubtAndAWaiterIsServedAfterwards() throws Exception {
    try (HazelcastCluster cluster = HazelcastCluster.start(1, Clusters.withPawl());
        Pawl pawl =
            Pawl.builder(cluster.url() + "?connectTimeout=2m&timeout=300ms")
                .responseTimeout(Duration.ofSeconds(2))
                .build()) {
      Waiting.until(
          "granted",
          () -> {
            pawl.lock("known").acquire().close();
            return true;
          });
      cluster.member(0).pause();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      cluster.member(0).resume();
      Waiting.until(
          "what nobody knew of is given back",
          () -> {
            CompletableFuture<Lease> later = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
            try (Lease lease = later.get(60, TimeUnit.SECONDS)) {
              return lease.isHeld();
            }
          });
      Waiting.until(
          "nobody holds it",
          () -> pawl.inspector().find("x").map(info -> info.holders().size()).orElse(0) == 0);
    }
  }

  /**
   * Of three members, two have both copies of a third of all names. Those go on, also where they
   * are renewed together with names that wait for the third member.
   */
  @Test
  void aMemberThatIsSilentCostsNoLeaseThatItDoesNotKeep() throws Exception {
    Duration lease = Duration.ofSeconds(20);
    try (HazelcastCluster cluster =
            HazelcastCluster.start(
                3,
                Clusters.protectedBy(2)
                    .with("hazelcast.max.no.heartbeat.seconds", "120")
                    .withClientsApart());
        Pawl pawl =
            Pawl.builder(cluster.url() + "?connectTimeout=2m")
                .defaults(LockOptions.DEFAULT.withLease(lease))
                .build()) {
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        String name = "kept " + i;
        Waiting.until("granted", () -> held.add(pawl.lock(name).acquire()));
      }
      long silent = System.nanoTime();
      cluster.member(0).pause();
      try {
        Waiting.until(
            "whoever is held now was renewed since",
            () ->
                System.nanoTime() - silent > lease.toNanos()
                    && held.stream().anyMatch(each -> !each.isHeld()));
        // A third of the names, on the average, is of no concern to a member of three.
        assertThat(held).filteredOn(Lease::isHeld).hasSizeGreaterThan(8);
      } finally {
        cluster.member(0).resume();
      }
    }
  }
}
