package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import dev.pawl.testkit.CountingStore.Call;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** I9: what an operation costs, in round trips. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class CostCases extends ApiCases {

  CostCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void withoutContentionAnAcquireAndAReleaseAreOneRoundTripEach() throws Exception {
    Pawl a = pawl("a");
    Map<Call, Long> pair = Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L);

    a.lock(name()).acquire().close();
    assertThat(calls(a)).as("acquire").isEqualTo(pair);

    counter(a).reset();
    a.lock(name()).tryAcquire().orElseThrow().close();
    assertThat(calls(a)).as("tryAcquire").isEqualTo(pair);

    counter(a).reset();
    a.lock(name()).acquireAsync(LONG).get(LONG.toSeconds(), TimeUnit.SECONDS).close();
    assertThat(calls(a)).as("acquireAsync").isEqualTo(pair);

    counter(a).reset();
    a.lock(name()).lock();
    a.lock(name()).unlock();
    assertThat(calls(a)).as("lock").isEqualTo(pair);
  }

  @Test
  void whatIsAskedOfALeaseCostsNothing() throws Exception {
    Pawl a = pawl("a");
    Lease lease = a.lock(name()).acquire();
    counter(a).reset();

    lease.isHeld();
    lease.remaining();
    lease.ensureHeld();
    lease.onLost(() -> {});
    lease.token();

    assertThat(calls(a)).isEmpty();
    lease.close();
  }

  @Test
  void reEntryCostsNothing() throws Exception {
    Pawl a = pawl("a");
    DistributedLock lock = a.lock(name());
    lock.lock();
    counter(a).reset();

    lock.lock();
    lock.tryLock();
    lock.tryLock(1, TimeUnit.SECONDS);
    lock.unlock();
    lock.unlock();
    lock.unlock();

    assertThat(calls(a)).isEmpty();
    lock.unlock();
    assertThat(calls(a)).isEqualTo(Map.of(Call.RELEASE, 1L));
  }

  @Test
  void aRefusalIsOneRoundTrip() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease lease = a.lock(name()).acquire()) {
      assertThat(b.lock(name()).tryAcquire()).isEmpty();

      assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L));
      lease.ensureHeld();
    }
  }

  @Test
  void aRefusalWithinOneNodeCostsNothing() throws Exception {
    Pawl a = pawl("a");
    try (Lease lease = a.lock(name()).acquire()) {
      counter(a).reset();
      assertThat(a.lock(name()).tryAcquire()).isEmpty();

      assertThat(calls(a)).isEmpty();
      lease.ensureHeld();
    }
  }

  @Test
  @Needs(Capability.FAIR)
  void aHandOverIsTheReleaseAndASignal() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    CompletableFuture<Lease> next = b.lock(name()).acquireAsync(LONG);
    eventually("b has queued", () -> calls(b).equals(Map.of(Call.ACQUIRE, 1L)));

    lease.close();
    Lease got = next.get(LONG.toSeconds(), TimeUnit.SECONDS);

    // One to queue, one to release, and the next holder did not ask again.
    assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L));
    assertThat(calls(a)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L));
    got.close();
    assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L));
  }

  @Test
  @Needs(Capability.FAIR)
  void aWaitThatIsOverCostsOneToQueueAndOneToLeave() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease lease = a.lock(name()).acquire()) {
      assertThat(b.lock(name()).tryAcquire(Duration.ofMillis(100))).isEmpty();

      eventually("b has left", () -> calls(b).containsKey(Call.CANCEL));
      assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.CANCEL, 1L));
      lease.ensureHeld();
    }
  }

  @Test
  @Needs(
      Capability.FAIR) // Without a queue, an acquire that meets a release on its way is repeated.
  void aHandOverAmongTheThreadsOfANodeCostsNothing() throws Exception {
    Pawl a = pawl("a");
    List<LockEvent.Acquired> acquired = new CopyOnWriteArrayList<>();
    a.listen(
        event -> {
          if (event instanceof LockEvent.Acquired each) {
            acquired.add(each);
          }
        });
    // The budget for passing on is 10 ms from the grant: a machine that stalls for longer spends
    // it, so there are several rounds, and what counts is that every pass was free.
    int rounds = 10;
    int futures = 3;
    for (int round = 0; round < rounds; round++) {
      List<CompletableFuture<Void>> ends = new ArrayList<>();
      for (int i = 0; i < futures; i++) {
        ends.add(a.lock(name()).acquireAsync(LONG).thenAccept(Lease::close));
      }
      CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
          .get(LONG.toSeconds(), TimeUnit.SECONDS);
    }
    eventually("all are told", () -> acquired.size() == rounds * futures);
    long passes = acquired.stream().filter(LockEvent.Acquired::passed).count();
    Map<Call, Long> calls = calls(a);

    assertThat(passes).as("leases passed on").isPositive();
    long taken = calls.getOrDefault(Call.ACQUIRE, 0L) + calls.getOrDefault(Call.YIELD, 0L);
    assertThat(taken).as("round trips to take it, of %s", calls).isEqualTo(30 - passes);
    assertThat(calls.keySet()).isSubsetOf(Call.ACQUIRE, Call.YIELD, Call.RELEASE);
  }

  @Test
  void severalLocksAreOneRoundTripEach() throws Exception {
    Pawl a = pawl("a");

    a.allOf(name("1"), name("2"), name("3")).acquire().close();

    assertThat(calls(a)).isEqualTo(Map.of(Call.ACQUIRE, 3L, Call.RELEASE, 3L));
  }

  @Test
  void leasesAreRenewedTogether() throws Exception {
    Pawl a = pawl("a");
    LockOptions options = options().withLease(Duration.ofMillis(1_500));
    int leases = 60;
    int periods = 3;
    Set<String> shards = new HashSet<>();
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (int i = 0; i < leases; i++) {
      shards.add(store().shard(name("" + i)));
      futures.add(a.lock(name("" + i), options).acquireAsync(LONG));
    }
    List<Lease> held = new ArrayList<>();
    for (CompletableFuture<Lease> future : futures) {
      held.add(future.get(LONG.toSeconds(), TimeUnit.SECONDS));
    }
    counter(a).reset();
    long end = System.nanoTime() + periods * options.lease().toNanos() / 3;
    eventually("some periods have passed", () -> System.nanoTime() - end > 0);

    // Each period one call a shard, and a few more where taking them all took its time.
    assertThat(calls(a).getOrDefault(Call.RENEW, 0L))
        .as("calls that renewed %s leases of %s shards for %s periods", leases, shards, periods)
        .isBetween((long) periods - 1, (periods + 1L) * 4 * shards.size());
    assertThat(calls(a).keySet()).containsOnly(Call.RENEW);
    assertThat(held).allMatch(Lease::isHeld);
    held.forEach(Lease::close);
    nobodyIsLeft();
  }
}
