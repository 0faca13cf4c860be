package dev.pawl.zookeeper;

import static dev.pawl.zookeeper.ZooKeeperFaultTest.eventually;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.ZooKeeperEnsemble;
import dev.pawl.testservers.ZooKeeperServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session that ends with many leases and many who wait in it. */
@Tag("safety")
class LostSessionTest {

  private static final int LEASES = 100;
  private static final int WAITERS = 20;
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final Duration PATIENT = Duration.ofSeconds(30);

  /** Leases of one node, and how often each was told that it is lost. */
  private static final class Held {
    final List<Lease> leases = new ArrayList<>();
    final AtomicIntegerArray told = new AtomicIntegerArray(LEASES);

    Held(Pawl pawl) throws InterruptedException {
      for (int i = 0; i < LEASES; i++) {
        int index = i;
        leases.add(pawl.lock("held-" + i).acquire(LONG));
        leases.get(i).onLost(() -> told.incrementAndGet(index));
      }
    }

    boolean areToldOnce() {
      return IntStream.range(0, LEASES).allMatch(i -> told.get(i) == 1);
    }

    /** Others have the names now, with tokens that are higher. */
    void areTakenBy(Pawl other) throws InterruptedException {
      for (Lease lease : leases) {
        try (Lease next = other.lock(lease.name()).acquire(LONG)) {
          assertThat(next.token()).isGreaterThan(lease.token());
        }
      }
    }
  }

  private static List<CompletableFuture<Lease>> waiters(Pawl pawl) {
    return IntStream.range(0, WAITERS)
        .mapToObj(i -> pawl.lock("wanted-" + i).acquireAsync(LONG))
        .toList();
  }

  private static List<Lease> wanted(Pawl pawl) throws InterruptedException {
    List<Lease> leases = new ArrayList<>();
    for (int i = 0; i < WAITERS; i++) {
      leases.add(pawl.lock("wanted-" + i).acquire(LONG));
    }
    return leases;
  }

  /** What it holds is not lost by a machine that stalls. */
  private static Pawl patient(ZooKeeperStore store) {
    return Pawl.builder(store)
        .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(1)))
        .responseTimeout(PATIENT)
        .build();
  }

  @Test
  void aHundredLeasesAreLostAtOnceAndWhoWaitsQueuesAgain() throws Exception {
    try (ZooKeeperServer server = ZooKeeperServer.start();
        Looker looker = new Looker(server.address());
        ZooKeeperStore store = ZooKeeperFaultTest.open(server.address(), 120);
        ZooKeeperStore other = ZooKeeperFaultTest.open(server.address(), 120);
        Pawl a = patient(store);
        Pawl b = patient(other)) {
      List<Lease> wanted = wanted(b);
      Held held = new Held(a);
      List<CompletableFuture<Lease>> waiters = waiters(a);
      eventually("all wait", () -> looker.nodesOf("/pawl", "wanted-") == 3 * WAITERS);

      ZooKeeperFaultTest.expire(store, server.address());

      eventually("each is told, and once", held::areToldOnce);
      assertThat(held.leases).noneMatch(Lease::isHeld);
      held.areTakenBy(b);
      eventually("all wait again", () -> looker.nodesOf("/pawl", "wanted-") == 3 * WAITERS);
      wanted.forEach(Lease::close);
      for (int i = 0; i < WAITERS; i++) {
        try (Lease lease = waiters.get(i).get(2, TimeUnit.MINUTES)) {
          assertThat(lease.token()).isGreaterThan(wanted.get(i).token());
        }
      }
      assertThat(held.areToldOnce()).isTrue();
      eventually("nothing is left", () -> looker.nodesOf("/pawl", "") == 0);
    }
  }

  /**
   * A minute is longer than the session, which the client gives up and the servers count on when
   * they are back.
   */
  @Test
  void aQuorumThatIsAwayForLongerThanTheSessionEndsEveryLeaseAndComesBack() throws Exception {
    Duration away = Duration.ofSeconds(Boolean.getBoolean("pawl.long") ? 60 : 15);
    try (ZooKeeperEnsemble ensemble = ZooKeeperEnsemble.start(Map.of());
        Looker looker = new Looker(ensemble.addresses());
        // Shorter than they are away; two fifths of it are longer than a busy machine stalls.
        ZooKeeperStore store = ZooKeeperFaultTest.open(ensemble.addresses(), 12);
        ZooKeeperStore other = ZooKeeperFaultTest.open(ensemble.addresses(), 12);
        Pawl a = patient(store);
        Pawl b = patient(other);
        Pawl brief = Pawl.builder(other).responseTimeout(Duration.ofSeconds(1)).build()) {
      Held held = new Held(a);
      List<Lease> wanted = wanted(b);
      List<CompletableFuture<Lease>> waiters = waiters(a);
      eventually("all wait", () -> looker.nodesOf("/pawl", "wanted-") == 3 * WAITERS);
      int leader = ensemble.leader();
      List<ZooKeeperServer> killed =
          List.of(
              ensemble.servers().get((leader + 1) % 3), ensemble.servers().get((leader + 2) % 3));
      killed.forEach(ZooKeeperServer::kill);
      long end = System.nanoTime() + away.toNanos();
      while (System.nanoTime() - end < 0) {
        assertThatThrownBy(() -> brief.lock("nobody").tryAcquire())
            .as("never granted, never busy")
            .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      }
      assertThat(held.leases).noneMatch(Lease::isHeld);
      assertThat(wanted).noneMatch(Lease::isHeld);
      eventually("each is told, and once", held::areToldOnce);

      killed.forEach(server -> server.restart(false));

      for (int i = 0; i < WAITERS; i++) {
        try (Lease lease = waiters.get(i).get(3, TimeUnit.MINUTES)) {
          assertThat(lease.token()).isGreaterThan(wanted.get(i).token());
        }
      }
      held.areTakenBy(b);
      eventually("nothing is left", () -> looker.nodesOf("/pawl", "") == 0);
    }
  }
}
