package dev.pawl.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.LocalMapStats;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.Measurement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** I9, I10: what is sent for each operation, and what is left in the map. */
class HazelcastCostTest {

  private static final LockOptions LONG_LEASE =
      LockOptions.DEFAULT.withLease(Duration.ofMinutes(10));

  private static Embedded cluster;
  private CountingInstance counting;

  @BeforeAll
  static void start() {
    cluster = new Embedded(2);
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void count() {
    counting = new CountingInstance(cluster.member(1));
  }

  private Pawl pawl(HazelcastInstance instance) {
    return Pawl.builder(HazelcastStore.of(instance, Clusters.PATIENT))
        .defaults(LONG_LEASE)
        .responseTimeout(Duration.ofMinutes(1))
        .build();
  }

  @Test
  void anAcquireIsOneCallAndAReleaseIsOne() throws Exception {
    // What is not answered within a second is sent again.
    Measurement.whereNothingStalls(
        () -> {
          try (Pawl pawl = pawl(counting.instance())) {
            counting.reset();
            Lease lease = pawl.lock("cost").acquire();
            assertThat(counting.sent()).isEqualTo(1);
            lease.close();
            assertThat(counting.sent()).isEqualTo(2);
          }
        });
  }

  @Test
  void queueingIsOneCallAndAHandOverIsTheReleaseAndAMessage() throws Exception {
    // Whoever has waited for a second asks.
    Measurement.whereNothingStalls(this::queue);
  }

  private void queue() throws Exception {
    CountingInstance waiting = new CountingInstance(cluster.member(0));
    try (Pawl a = pawl(counting.instance());
        Pawl b = pawl(waiting.instance())) {
      Lease first = a.lock("queue").acquire();
      counting.reset();
      waiting.reset();
      CompletableFuture<Lease> second = b.lock("queue").acquireAsync(Duration.ofMinutes(1));
      until(() -> !a.inspector().find("queue").orElseThrow().waiters().isEmpty());
      long queued = waiting.sent();
      first.close();
      try (Lease lease = second.get(60, TimeUnit.SECONDS)) {
        assertThat(lease.isHeld()).isTrue();
      }
      assertThat(queued).as("to queue").isEqualTo(1);
    }
  }

  @Test
  void manyLeasesAreRenewedInFewCalls() throws Exception {
    try (HazelcastStore store = HazelcastStore.of(counting.instance(), Clusters.PATIENT)) {
      List<Command.Renew> renewals = new ArrayList<>();
      for (int i = 0; i < 250; i++) {
        ClaimId claim = new ClaimId("many", i);
        String name = "many " + i;
        assertThat(of(store.acquire(acquire(name, claim, Command.EVERYTHING))))
            .isInstanceOf(AcquireReply.Granted.class);
        renewals.add(new Command.Renew(name, claim, Command.EVERYTHING, 60_000_000, "actor"));
      }
      counting.reset();

      List<RenewReply> replies = of(store.renew(renewals));

      assertThat(counting.sent()).isEqualTo(1);
      assertThat(replies).hasSize(250);
      for (int i = 0; i < replies.size(); i++) {
        assertThat(((RenewReply.Held) replies.get(i)).grant().claim())
            .isEqualTo(renewals.get(i).claim());
      }
    }
  }

  @Test
  void theClaimsOfANameAreRenewedInOneTurn() throws Exception {
    try (HazelcastStore store = HazelcastStore.of(counting.instance(), Clusters.PATIENT)) {
      List<Command.Renew> renewals = new ArrayList<>();
      for (int i = 0; i < 250; i++) {
        ClaimId claim = new ClaimId("readers", i);
        assertThat(of(store.acquire(acquire("read", claim, 1))))
            .isInstanceOf(AcquireReply.Granted.class);
        renewals.add(new Command.Renew("read", claim, 1, 60_000_000, "actor"));
      }
      counting.reset();
      assertThat(of(store.renew(renewals))).hasSize(250);
      assertThat(counting.sent()).isEqualTo(1);
    }
  }

  @Test
  void anIdleWaiterAsksLessThanOnceASecond() throws Exception {
    // What is not answered soon is asked again.
    Measurement.whereNothingStalls(this::waitIdly);
  }

  private void waitIdly() throws Exception {
    CountingInstance waiting = new CountingInstance(cluster.member(0));
    try (Pawl a = pawl(counting.instance());
        Pawl b = pawl(waiting.instance());
        Lease held = a.lock("idle").acquire()) {
      CompletableFuture<Lease> waiter = b.lock("idle").acquireAsync(Duration.ofMinutes(5));
      until(() -> waiting.sent() > 0);
      waiting.reset();
      long start = System.nanoTime();
      until(() -> waiting.sent() >= 3);
      assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(2_500));
      assertThat(held.isHeld()).isTrue();
      waiter.cancel(true);
    }
  }

  @Test
  void anEntryTakesLessThan400Bytes() throws Exception {
    try (Pawl pawl = pawl(cluster.member(0))) {
      List<Lease> held = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        held.add(pawl.lock("invoice:" + i).acquire());
      }
      for (int i = 0; i < 2; i++) {
        LocalMapStats stats = cluster.member(i).getMap("pawl.locks").getLocalMapStats();
        assertThat(stats.getOwnedEntryMemoryCost() / stats.getOwnedEntryCount()).isLessThan(400);
        assertThat(stats.getBackupEntryMemoryCost() / stats.getBackupEntryCount()).isLessThan(400);
      }
      assertThat(held).allMatch(Lease::isHeld);
    }
  }

  @Test
  void nothingIsLeftInTheMap() throws Exception {
    try (Pawl pawl = pawl(cluster.member(0))) {
      for (int i = 0; i < 1_000; i++) {
        pawl.lock("left " + i).acquire().close();
      }
      assertThat(pawl.lock("left short", shortLease()).tryAcquire()).isPresent();
    }
    until(
        () ->
            cluster.member(1).<String, byte[]>getMap("pawl.locks").keySet().stream()
                .noneMatch(name -> name.startsWith("left ")));
  }

  private static LockOptions shortLease() {
    return LockOptions.DEFAULT.withLease(Duration.ofMillis(500)).withRenewal(false);
  }

  private static Command.Acquire acquire(String name, ClaimId claim, int permits) {
    return new Command.Acquire(
        name,
        claim,
        permits,
        Command.EVERYTHING,
        60_000_000,
        1,
        OptionalLong.empty(),
        true,
        true,
        "label",
        "actor");
  }

  private static <T> T of(CompletionStage<T> answer) throws Exception {
    return answer.toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void until(Condition condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(20_000_000);
    }
  }
}
