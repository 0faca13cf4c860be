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
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** I9: what an operation costs, in round trips. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class CostCases extends ApiCases {

  CostCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void withoutContentionAnAcquireAndAReleaseAreOneRoundTripEach() throws Exception {
    isAPair("acquire", lock -> lock.acquire().close());
    isAPair("tryAcquire", lock -> lock.tryAcquire().orElseThrow().close());
    isAPair(
        "acquireAsync",
        lock -> lock.acquireAsync(LONG).get(LONG.toSeconds(), TimeUnit.SECONDS).close());
    isAPair(
        "lock",
        lock -> {
          lock.lock();
          lock.unlock();
        });
  }

  private interface Use {
    void of(DistributedLock lock) throws Exception;
  }

  private void isAPair(String what, Use use) throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          use.of(a.lock(name));
          assertThat(calls(a)).as(what).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L));
        });
  }

  @Test
  void whatIsAskedOfALeaseCostsNothing() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Lease lease = a.lock(name).acquire();
          counter(a).reset();

          lease.isHeld();
          lease.remaining();
          lease.ensureHeld();
          lease.onLost(() -> {});
          lease.token();

          assertThat(calls(a)).isEmpty();
          lease.close();
        });
  }

  @Test
  void reEntryCostsNothing() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          DistributedLock lock = a.lock(name);
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
        });
  }

  @Test
  void aRefusalIsOneRoundTrip() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Pawl b = pawl("b");
          try (Lease lease = a.lock(name).acquire()) {
            assertThat(b.lock(name).tryAcquire()).isEmpty();

            assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L));
            lease.ensureHeld();
          }
        });
  }

  @Test
  void aRefusalWithinOneNodeCostsNothing() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          try (Lease lease = a.lock(name).acquire()) {
            counter(a).reset();
            assertThat(a.lock(name).tryAcquire()).isEmpty();

            assertThat(calls(a)).isEmpty();
            lease.ensureHeld();
          }
        });
  }

  @Test
  @Needs(Capability.FAIR)
  void aHandOverIsTheReleaseAndASignal() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Pawl b = pawl("b");
          Lease lease = a.lock(name).acquire();
          CompletableFuture<Lease> next = b.lock(name).acquireAsync(LONG);
          waitsInTheStore(name, "b");

          lease.close();
          Lease got = next.get(LONG.toSeconds(), TimeUnit.SECONDS);

          // One to queue, one to release, and the next holder did not ask again.
          assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L));
          assertThat(calls(a)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L));
          got.close();
          assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.RELEASE, 1L));
        });
  }

  @Test
  @Needs(Capability.FAIR)
  void aWaitThatIsOverCostsOneToQueueAndOneToLeave() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Pawl b = pawl("b");
          try (Lease lease = a.lock(name).acquire()) {
            assertThat(b.lock(name).tryAcquire(Duration.ofMillis(100))).isEmpty();

            eventually("b has left", () -> calls(b).containsKey(Call.CANCEL));
            assertThat(calls(b)).isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.CANCEL, 1L));
            lease.ensureHeld();
          }
        });
  }

  @Test
  @Needs(
      Capability.FAIR) // Without a queue, an acquire that meets a release on its way is repeated.
  void aHandOverAmongTheThreadsOfANodeCostsNothing() throws Exception {
    // The budget for passing on is 10 ms from the grant: a machine that stalls for longer spends
    // it, so there are many rounds, and what counts is that every pass was free.
    AtomicLong passes = new AtomicLong();
    for (int tries = 0; passes.get() == 0 && tries < 20; tries++) {
      inTime(UNREPEATED, name -> passes.addAndGet(freePasses(name)));
    }
    assertThat(passes).as("leases passed on").hasPositiveValue();
  }

  private long freePasses(String name) throws Exception {
    Pawl a = pawl("a");
    List<LockEvent.Acquired> acquired = new CopyOnWriteArrayList<>();
    a.listen(
        event -> {
          if (event instanceof LockEvent.Acquired each) {
            acquired.add(each);
          }
        });
    for (int round = 0; round < 10; round++) {
      threeInARow(a.lock(name));
    }
    eventually("all are told", () -> acquired.size() == 30);
    long passes = acquired.stream().filter(LockEvent.Acquired::passed).count();
    Map<Call, Long> calls = calls(a);
    long taken = calls.getOrDefault(Call.ACQUIRE, 0L) + calls.getOrDefault(Call.YIELD, 0L);
    assertThat(taken).as("round trips to take it, of %s", calls).isEqualTo(30 - passes);
    assertThat(calls.keySet()).isSubsetOf(Call.ACQUIRE, Call.YIELD, Call.RELEASE);
    return passes;
  }

  private static void threeInARow(DistributedLock lock) throws Exception {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ends.add(lock.acquireAsync(LONG).thenAccept(Lease::close));
    }
    CompletableFuture.allOf(ends.toArray(CompletableFuture[]::new))
        .get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void severalLocksAreOneRoundTripEach() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          a.allOf(name + "1", name + "2", name + "3").acquire().close();

          assertThat(calls(a)).isEqualTo(Map.of(Call.ACQUIRE, 3L, Call.RELEASE, 3L));
        });
  }

  @Test
  void leasesAreRenewedTogether() throws Exception {
    // Long enough for a renewal to be late.
    LockOptions options = options().withLease(Duration.ofSeconds(2));
    int leases = 60;
    inTime(
        options.lease().plus(UNREPEATED),
        name -> {
          Pawl a = pawl("a");
          try {
            Set<String> shards = new HashSet<>();
            List<CompletableFuture<Lease>> futures = new ArrayList<>();
            for (int i = 0; i < leases; i++) {
              shards.add(store().shard(name + i));
              futures.add(a.lock(name + i, options).acquireAsync(LONG));
            }
            List<Lease> held = new ArrayList<>();
            for (CompletableFuture<Lease> future : futures) {
              held.add(future.get(LONG.toSeconds(), TimeUnit.SECONDS));
            }
            counter(a).reset();
            long end = System.nanoTime() + options.lease().toNanos();
            eventually("the lease has passed", () -> System.nanoTime() - end > 0);
            Map<Call, Long> calls = calls(a);

            assertThat(held).allMatch(Lease::isHeld);
            // Three times a lease one call a shard, and more where taking them all took its time or
            // an answer was late; with a call for each it would be three times sixty.
            assertThat(calls.getOrDefault(Call.RENEW, 0L))
                .as("calls that renewed %s leases of %s shards", leases, shards)
                .isBetween(1L, 40L * shards.size());
            assertThat(calls.keySet()).containsOnly(Call.RENEW);
          } finally {
            a.close(); // With all that it holds, whether this attempt counts or not.
          }
        });
    nobodyIsLeft();
  }
}
