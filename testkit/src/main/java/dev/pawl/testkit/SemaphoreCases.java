package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DistributedSemaphore;
import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Semaphores: permits that belong to the lease. */
@Needs(Capability.SEMAPHORE)
abstract class SemaphoreCases extends ApiCases {

  SemaphoreCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void asManyLeasesAreOutAsThereArePermits() throws Exception {
    DistributedSemaphore a = pawl("a").semaphore(name(), 3);
    DistributedSemaphore b = pawl("b").semaphore(name(), 3);
    assertThat(a.capacity()).isEqualTo(3);
    assertThat(a.name()).isEqualTo(name());
    List<Lease> leases = new ArrayList<>(List.of(a.acquire(), b.acquire(), a.acquire()));

    assertThat(b.tryAcquire(1)).isEmpty();
    assertThat(a.tryAcquire(1)).isEmpty();
    leases.remove(0).close();
    leases.add(b.tryAcquire(1).orElseThrow());

    leases.forEach(Lease::close);
    b.tryAcquire(3).orElseThrow().close();
    nobodyIsLeft();
  }

  @Test
  @Needs(Capability.INSPECT)
  void aCrowdOfCallersStandsInTheQueueOnceForEachNode() throws Exception {
    List<Pawl> nodes = List.of(pawl("a"), pawl("b"));
    List<CompletableFuture<Lease>> futures = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      futures.add(nodes.get(i % 2).semaphore(name(), 2).acquireAsync(1, LONG.multipliedBy(4)));
    }
    while (!futures.isEmpty()) {
      eventually("a caller is served", () -> futures.stream().anyMatch(CompletableFuture::isDone));
      eventually("a node waits once at the most", () -> waitingInTheStore() <= nodes.size());
      List<Lease> served = new ArrayList<>();
      futures.removeIf(future -> future.isDone() && served.add(future.join()));
      served.forEach(Lease::close);
    }
    nobodyIsLeft();
  }

  private int waitingInTheStore() {
    return Replies.of(store().find(name())).map(info -> info.waiters().size()).orElse(0);
  }

  @Test
  void permitsAreAddedUp() throws Exception {
    DistributedSemaphore a = pawl("a").semaphore(name(), 5);
    DistributedSemaphore b = pawl("b").semaphore(name(), 5);
    try (Lease two = a.acquire(2)) {
      assertThat(b.tryAcquire(4)).isEmpty();
      try (Lease three = b.acquire(3)) {
        assertThat(a.tryAcquire(1)).isEmpty();
        assertThat(two.isHeld() && three.isHeld()).isTrue();
      }
    }
  }

  @Test
  void whoeverWaitsGetsThePermitsThatAreGivenBack() throws Exception {
    DistributedSemaphore a = pawl("a").semaphore(name(), 2);
    DistributedSemaphore b = pawl("b").semaphore(name(), 2);
    Lease one = a.acquire();
    Lease two = a.acquire();
    Background<Lease> both = Background.startAndBlock("both", () -> b.acquire(2, LONG));

    one.close();
    assertThat(both.isDone()).isFalse();
    two.close();

    both.result().close();
  }

  @Test
  void aWaitThatIsOverTakesNothing() throws Exception {
    DistributedSemaphore a = pawl("a").semaphore(name(), 2);
    DistributedSemaphore b = pawl("b").semaphore(name(), 2);
    try (Lease lease = a.acquire(2)) {
      Duration wait = Duration.ofMillis(100);
      assertThat(b.tryAcquire(1, wait)).isEmpty();
      assertThatThrownBy(() -> b.acquire(1, wait)).isInstanceOf(LockTimeoutException.class);
      lease.ensureHeld();
    }
    // The store may not have heard yet that nobody waits: it would then take one, for a moment.
    b.acquire(2, SHORT_OF_A_LEASE).close();
  }

  @Test
  void permitsAreTakenWithoutBlockingAThread() throws Exception {
    DistributedSemaphore a = pawl("a").semaphore(name(), 1);
    DistributedSemaphore b = pawl("b").semaphore(name(), 1);
    Lease first = a.acquireAsync(1, LONG).get(LONG.toSeconds(), TimeUnit.SECONDS);
    var second = b.acquireAsync(1, LONG);
    assertThat(second).isNotDone();

    first.close();

    second.get(LONG.toSeconds(), TimeUnit.SECONDS).close();
  }

  @Test
  void moreThanThereAreAreNeverOut() throws Exception {
    Pawl[] nodes = {pawl("a"), pawl("b")};
    AtomicInteger out = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Together.run(
        6,
        i -> {
          DistributedSemaphore semaphore = nodes[i % 2].semaphore(name(), 3);
          for (int round = 0; round < 10; round++) {
            int permits = 1 + (i + round) % 2;
            try (Lease lease = semaphore.acquire(permits, LONG)) {
              most.accumulateAndGet(out.addAndGet(permits), Math::max);
              lease.ensureHeld();
              out.addAndGet(-permits);
            }
          }
        });
    assertThat(most.get()).isBetween(1, 3);
    nobodyIsLeft();
  }
}
