package dev.pawl.engine.locks;

import static dev.pawl.engine.PuppetNode.SECOND;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.engine.PuppetNode;
import dev.pawl.engine.claims.Request;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Calls that end before they have what they wanted, and leases that end while it is uncertain. */
class LeavingTest {

  private static final Duration LONG = Duration.ofMinutes(5);

  private final PuppetNode node = new PuppetNode(0);

  @Test
  void aThreadThatIsInterruptedAtTheMomentOfTheGrantHoldsNothingWhenItsCallReturns()
      throws Exception {
    SplittableRandom random = new SplittableRandom(1);
    MemoryStore store = new MemoryStore();
    try (Pawl pawl = Pawl.builder(store).build()) {
      DistributedLock lock = pawl.lock("x");
      AtomicReference<Throwable> failure = new AtomicReference<>();
      AtomicBoolean stop = new AtomicBoolean();
      Thread victim = new Thread(() -> lockAgainAndAgain(lock, stop, failure));
      victim.start();
      for (int i = 0; i < 3_000; i++) {
        lock.lock();
        LockSupport.parkNanos(random.nextInt(20_000));
        if (random.nextBoolean()) {
          victim.interrupt();
          lock.unlock();
        } else {
          lock.unlock();
          victim.interrupt();
        }
      }
      stop.set(true);
      victim.interrupt();
      victim.join();
      assertThat(failure).hasNullValue();
      assertThat(store.find("x").toCompletableFuture().join().map(LockInfo::holders).orElse(null))
          .isNullOrEmpty();
    }
  }

  @SuppressWarnings("LockNotBeforeTry") // Between the two is nothing that could fail.
  private static void lockAgainAndAgain(
      DistributedLock lock, AtomicBoolean stop, AtomicReference<Throwable> failure) {
    try {
      while (!stop.get()) {
        try {
          lock.lockInterruptibly();
          lock.unlock();
        } catch (InterruptedException e) {
          assertThat(lock.holdCount()).isZero();
          lock.lock(); // Would be told that it waits for itself.
          lock.unlock();
        }
      }
    } catch (Throwable e) {
      failure.set(e);
    }
  }

  @Test
  void anInterruptedWaitLeavesNoClaimBehind() throws Exception {
    MemoryStore store = new MemoryStore();
    try (Pawl pawl = Pawl.builder(store).build();
        Pawl other = Pawl.builder(store).build();
        Lease held = other.lock("x").acquire()) {
      AtomicReference<LockInfo> seen = new AtomicReference<>();
      Thread caller =
          new Thread(
              () -> {
                try {
                  pawl.lock("x").acquire();
                } catch (InterruptedException e) {
                  seen.set(store.find("x").toCompletableFuture().join().orElseThrow());
                }
              });
      caller.start();
      while (store.find("x").toCompletableFuture().join().orElseThrow().waiters().isEmpty()) {
        Thread.onSpinWait();
      }
      caller.interrupt();
      caller.join();
      assertThat(held.isHeld()).isTrue();
      assertThat(seen.get().waiters()).isEmpty();
    }
  }

  @Test
  void aFutureThatTheUserCompletesInWhateverWayGivesUpItsPlace() {
    PuppetNode.lease(node.neighbour("other").call("x", LockOptions.DEFAULT, 0));
    CompletableFuture<Lease> future = async();
    assertThat(waitingInTheStore()).isOne();
    future.completeExceptionally(new java.util.concurrent.TimeoutException("of the user"));
    assertThat(waitingInTheStore()).isZero();
    assertThat(async().complete(null)).isTrue();
    assertThat(waitingInTheStore()).isZero();
    assertThat(async().orTimeout(1, TimeUnit.MILLISECONDS))
        .failsWithin(10, TimeUnit.SECONDS)
        .withThrowableOfType(java.util.concurrent.ExecutionException.class)
        .withCauseInstanceOf(java.util.concurrent.TimeoutException.class);
    while (waitingInTheStore() > 0) {
      Thread.onSpinWait();
    }
  }

  private CompletableFuture<Lease> async() {
    return new Calls(node.engine).acquireAsync(Request.exclusive("x", LockOptions.DEFAULT), LONG);
  }

  @Test
  void nowOrNeverIsNotBusyWhileTheStoreIsSilent() {
    node.heldBack = Set.of("acquire", "cancel");
    node.call("x", LockOptions.DEFAULT, Caller.NO_DEADLINE);
    Caller now = node.call("x", LockOptions.DEFAULT, 0);
    assertThat(now.outcome).describedAs("nobody knows yet").isNotDone();
    node.pass(4 * SECOND);
    assertThat(now.outcome.getNow(null))
        .isInstanceOfSatisfying(
            CallResult.Failed.class,
            failed ->
                assertThat(failed.exception().get()).isInstanceOf(OutcomeUnknownException.class));
  }

  @Test
  void aWaitAtAStoreThatAnswersWithErrorsEndsWhenItsTimeIsUp() {
    node.broken = Map.of("acquire", new StoreUnavailableException("the disk is full", null));
    Caller caller = node.call("x", LockOptions.DEFAULT, SECOND);
    node.pass(SECOND - SECOND / 100);
    assertThat(caller.outcome).describedAs("it may have space again").isNotDone();
    node.pass(SECOND / 50);
    assertThat(caller.outcome.getNow(null))
        .isInstanceOfSatisfying(
            CallResult.Failed.class,
            failed ->
                assertThat(failed.exception().get())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("the disk is full"));
  }

  @Test
  void nowOrNeverIsBusyOnceTheStoreHasAnsweredTheOneBeforeIt() {
    node.heldBack = Set.of("acquire");
    Caller first = node.call("x", LockOptions.DEFAULT, Caller.NO_DEADLINE);
    Caller now = node.call("x", LockOptions.DEFAULT, 0);
    node.messages.get(0).answer();
    assertThat(first.outcome.getNow(null)).isInstanceOf(CallResult.Held.class);
    assertThat(now.outcome.getNow(null)).isInstanceOf(CallResult.Refused.class);
  }

  @Test
  void aReleaseThatFailsInsideTheCallIsRepeatedSoon() {
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.broken = Map.of("release", new StoreUnavailableException("down for a moment", null));
    CompletableFuture<Boolean> released = node.engine.releaseAsync(lease);
    node.broken = Map.of();
    node.pass(SECOND / 10);
    assertThat(released).isCompletedWithValue(true);
  }

  @Test
  void aLeaseThatWasHeldWhenItWasClosedIsNotLostThoughTheAnswerCameTooLate() throws Exception {
    HeldLease lease = PuppetNode.lease(node.call("x", LockOptions.DEFAULT, 0));
    node.heldBack = Set.of("release");
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Thread closer = new Thread(() -> thrown.set(catchAll(lease::close)));
    closer.start();
    while (node.messages.isEmpty()) {
      Thread.onSpinWait();
    }
    node.stall(11 * SECOND); // Now it has expired in the store.
    node.messages.get(0).answer();
    closer.join();
    assertThat(thrown).hasNullValue();
  }

  private static Throwable catchAll(Runnable action) {
    try {
      action.run();
      return null;
    } catch (Throwable e) {
      return e;
    }
  }

  @Test
  void aWaitForOnesOwnLeaseIsADeadlockOnlyIfItCannotEndInTime() throws Exception {
    LockOptions brief = LockOptions.DEFAULT.withRenewal(false).withLease(Duration.ofMillis(300));
    try (Pawl pawl = Pawl.builder(new MemoryStore()).build()) {
      DistributedLock lock = pawl.lock("x", brief);
      Lease own = lock.acquire();
      assertThat(lock.tryAcquire(Duration.ofSeconds(30))).isPresent();
      assertThatCode(own::close).isInstanceOf(dev.pawl.LeaseLostException.class);
      Lease renewed = pawl.lock("y").acquire();
      assertThatThrownBy(() -> pawl.lock("y").tryAcquire(Duration.ofSeconds(30)))
          .isInstanceOf(DeadlockException.class);
      renewed.close();
    }
  }

  private int waitingInTheStore() {
    return node.server
        .find("x")
        .toCompletableFuture()
        .join()
        .map(info -> info.waiters().size())
        .orElse(0);
  }
}
