package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Closing a node: it releases what it holds and refuses what waits. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class ClosingCases extends ApiCases {

  ClosingCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void whatTheNodeHeldIsFreeAtOnce() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    AtomicInteger lost = new AtomicInteger();
    Lease lease = a.lock(name("1")).acquire();
    lease.onLost(lost::incrementAndGet);
    a.lock(name("2")).lock();

    a.close();

    b.lock(name("1")).tryAcquire().orElseThrow().close();
    b.lock(name("2")).tryAcquire().orElseThrow().close();
    assertThat(lease.isHeld()).isFalse();
    lease.close();
    eventually("work under the lease is told", () -> lost.get() == 1);
    nothingIsLeft();
  }

  @Test
  void whoeverWaitsIsRefused() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Background<Lease> inStore = Background.startAndBlock("1", () -> b.lock(name()).acquire());
    Background<Lease> inNode = Background.startAndBlock("2", () -> b.lock(name()).acquire());
    CompletableFuture<Lease> future = b.lock(name()).acquireAsync(LONG);

    b.close();

    assertThat(inStore.failure())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(inNode.failure()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> future.get(LONG.toSeconds(), TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(IllegalStateException.class);
    lease.close();
    takenElsewhere(a, name());
    nobodyIsLeft();
  }

  @Test
  void aClosedNodeRefusesEverythingWithoutARoundTrip() {
    Pawl a = pawl("closed-one");
    var lock = a.lock(name());
    a.close();
    counter(a).reset();

    List<ThrowingCallable> uses =
        List.of(
            () -> a.lock(name()),
            () -> a.readWriteLock(name()),
            () -> a.semaphore(name(), 1),
            () -> a.allOf(name()),
            a::inspector,
            () -> a.listen(event -> {}),
            lock::acquire,
            lock::tryAcquire,
            lock::lock,
            lock::tryLock);
    for (ThrowingCallable use : uses) {
      assertThatThrownBy(use)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed-one")
          .hasMessageContaining("closed");
    }
    assertThat(calls(a)).isEmpty();
  }

  @Test
  void aSecondCloseDoesNothing() {
    Pawl a = pawl("a");
    a.close();

    a.close();

    assertThat(calls(a)).isEmpty();
  }

  @Test
  void noThreadOfTheNodeOutlivesIt() throws Exception {
    Pawl a = pawl("a");
    a.lock(name("1"), brief()).acquireAsync(LONG).get(LONG.toSeconds(), TimeUnit.SECONDS);
    a.lock(name("2")).lock();

    a.close();

    eventually(
        "its threads have ended",
        () ->
            Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().contains(a.nodeId())));
  }

  @Test
  void theStoreOfTheCallerStaysOpen() throws Exception {
    Pawl a = pawl("a");
    a.close();

    try (Pawl again = Pawl.builder(store()).label("again").build();
        Lease lease = again.lock(name()).acquire()) {
      lease.ensureHeld();
    }
  }
}
