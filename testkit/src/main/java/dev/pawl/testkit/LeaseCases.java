package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Locks held by a lease: acquire, tryAcquire, timeouts, close. */
abstract class LeaseCases extends ApiCases {

  LeaseCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aLeaseIsHeldUntilItIsClosed() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();

    assertThat(lease.name()).isEqualTo(name());
    assertThat(lease.token()).isPositive();
    assertThat(lease.isHeld()).isTrue();
    assertThat(lease.remaining()).isPositive().isLessThanOrEqualTo(options().lease());
    lease.ensureHeld();
    assertThat(b.lock(name()).tryAcquire()).isEmpty();

    lease.close();

    assertThat(lease.isHeld()).isFalse();
    assertThat(lease.remaining()).isZero();
    assertThatThrownBy(lease::ensureHeld)
        .isInstanceOf(LeaseLostException.class)
        .hasMessageContaining("closed")
        .hasMessageContaining(name());
    Lease next = b.lock(name()).tryAcquire().orElseThrow();
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
    nothingIsLeft();
  }

  @Test
  void aSecondCloseDoesNothing() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Lease lease = a.lock(name).acquire();
          lease.close();
          Lease next = pawl("b").lock(name).acquire();

          lease.close();

          assertThat(calls(a)).containsEntry(CountingStore.Call.RELEASE, 1L);
          next.ensureHeld();
          next.close();
        });
  }

  @Test
  void aLeaseMayBeClosedByAnyThread() throws Exception {
    Pawl a = pawl("a");
    Lease lease = Background.start("taker", () -> a.lock(name()).acquire()).result();

    lease.close();

    assertThat(takenElsewhere(pawl("b"), name())).isGreaterThan(lease.token());
  }

  @Test
  void aHeldLockIsRefusedToOthersOfTheSameNodeToo() throws Exception {
    Pawl a = pawl("a");
    try (Lease lease = a.lock(name()).acquire()) {
      Optional<Lease> other = Background.start("other", () -> a.lock(name()).tryAcquire()).result();

      assertThat(other).isEmpty();
      assertThat(a.lock(name()).tryAcquire()).isEmpty();
      lease.ensureHeld();
    }
  }

  @Test
  void aWaitEndsWithTheLockWhenItIsReleased() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Background<Optional<Lease>> here =
        Background.startAndBlock("b", () -> b.lock(name()).tryAcquire(LONG));

    lease.close();

    Lease next = here.result().orElseThrow();
    assertThat(next.token()).isGreaterThan(lease.token());
    next.close();
    nobodyIsLeft();
  }

  @Test
  void aWaitWithoutEndEndsWithTheLock() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Background<Lease> there = Background.startAndBlock("b", () -> b.lock(name()).acquire());

    lease.close();

    there.result().close();
  }

  @Test
  void aWaitThatIsOverLeavesNothingBehind() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Duration wait = Duration.ofMillis(150);
    long start = System.nanoTime();

    assertThat(b.lock(name()).tryAcquire(wait)).isEmpty();
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(wait);
    assertThatThrownBy(() -> b.lock(name()).acquire(wait))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining(name());

    lease.close();
    assertThat(takenElsewhere(pawl("c"), name())).isGreaterThan(lease.token());
    nobodyIsLeft();
  }

  @Test
  void aWaitOfZeroIsNowOrNever() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    try (Lease lease = a.lock(name()).acquire(Duration.ZERO)) {
      assertThat(b.lock(name()).tryAcquire(Duration.ZERO)).isEmpty();
      assertThatThrownBy(() -> b.lock(name()).acquire(Duration.ZERO))
          .isInstanceOf(LockTimeoutException.class);
      lease.ensureHeld();
    }
  }

  @Test
  void anInterruptEndsTheWaitAndGivesUpThePlace() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Lease lease = a.lock(name()).acquire();
    Background<Lease> waiting = Background.startAndBlock("b", () -> b.lock(name()).acquire());

    waiting.interrupt();

    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    lease.close();
    assertThat(takenElsewhere(pawl("c"), name())).isGreaterThan(lease.token());
    nobodyIsLeft();
  }

  @Test
  void anInterruptFromBeforeIsNoticedBeforeAnyRoundTrip() throws Exception {
    Pawl a = pawl("a");
    DistributedLock lock = a.lock(name());
    AtomicBoolean flag = new AtomicBoolean(true);
    Background<Lease> interrupted =
        Background.start(
            "interrupted",
            () -> {
              Thread.currentThread().interrupt();
              try {
                return lock.acquire();
              } finally {
                flag.set(Thread.currentThread().isInterrupted());
              }
            });

    assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
    assertThat(flag).as("the flag, after the exception").isFalse();
    assertThat(calls(a)).isEqualTo(Map.of());
  }

  @Test
  void aThreadThatWouldWaitForItsOwnLeaseIsTold() throws Exception {
    DistributedLock lock = pawl("a").lock(name());
    try (Lease lease = lock.acquire()) {
      assertThatThrownBy(lock::acquire)
          .isInstanceOf(DeadlockException.class)
          .hasMessageContaining(name());
      assertThatThrownBy(() -> lock.tryAcquire(LONG)).isInstanceOf(DeadlockException.class);
      assertThatThrownBy(lock::lock).isInstanceOf(DeadlockException.class);
      assertThat(lock.tryAcquire()).isEmpty();
      lease.ensureHeld();
    }
    lock.acquire().close();
  }

  @Test
  void aLeaseIsRenewedForAsLongAsItIsHeld() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    // Not a brief lease: one that a machine may stall in, or a renewal be late, for three seconds.
    Duration length = Duration.ofSeconds(5);
    Lease lease = a.lock(name(), options().withLease(length)).acquire();
    long taken = System.nanoTime();

    eventually(
        "the lease has passed",
        () -> {
          lease.ensureHeld();
          return System.nanoTime() - taken > length.toNanos();
        });

    assertThat(b.lock(name()).tryAcquire()).isEmpty();
    lease.close();
    b.lock(name()).tryAcquire().orElseThrow().close();
  }

  @Test
  void noUpdateOfACounterIsLost() throws Exception {
    Pawl[] nodes = {pawl("a"), pawl("b")};
    int threads = 6;
    int rounds = 15;
    long[] counter = new long[1];
    long[] lastToken = new long[1];
    Together.run(
        threads,
        i -> {
          for (int round = 0; round < rounds; round++) {
            try (Lease lease = nodes[i % 2].lock(name()).acquire(LONG)) {
              long before = counter[0];
              assertThat(lease.token()).isGreaterThan(lastToken[0]);
              lastToken[0] = lease.token();
              Thread.onSpinWait();
              counter[0] = before + 1;
            }
          }
        });
    // Read under the lock, which is what makes it visible.
    try (Lease lease = nodes[0].lock(name()).acquire(LONG)) {
      assertThat(counter[0]).isEqualTo((long) threads * rounds);
      assertThat(lease.token()).isGreaterThan(lastToken[0]);
    }
  }
}
