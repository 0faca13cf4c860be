package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Locks held by the thread: what {@link java.util.concurrent.locks.ReentrantLock} does. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class ThreadLockCases extends ApiCases {

  ThreadLockCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void holdsAreCountedAndTheTokenStays() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    DistributedLock lock = a.lock(name());
    lock.lock();
    long token = lock.token();
    lock.lock();
    assertThat(lock.tryLock()).isTrue();
    assertThat(lock.tryLock(1, TimeUnit.SECONDS)).isTrue();
    lock.lockInterruptibly();

    assertThat(lock.holdCount()).isEqualTo(5);
    assertThat(lock.token()).isEqualTo(token);
    for (int left = 4; left >= 0; left--) {
      assertThat(lock.isHeldByCurrentThread()).isTrue();
      assertThat(b.lock(name()).tryLock()).isFalse();
      lock.unlock();
      assertThat(lock.holdCount()).isEqualTo(left);
    }

    assertThat(lock.isHeldByCurrentThread()).isFalse();
    assertThat(b.lock(name()).tryLock()).isTrue();
    assertThat(b.lock(name()).token()).isGreaterThan(token);
    b.lock(name()).unlock();
    nobodyIsLeft();
  }

  @Test
  void twoHandlesOfANameAreOneLock() {
    Pawl a = pawl("a");
    a.lock(name()).lock();

    assertThat(a.lock(name()).isHeldByCurrentThread()).isTrue();
    a.lock(name()).lock();
    assertThat(a.lock(name()).holdCount()).isEqualTo(2);
    a.lock(name()).unlock();
    a.lock(name()).unlock();

    assertThat(pawl("b").lock(name()).tryAcquire()).isPresent();
  }

  @Test
  void anotherThreadCannotUnlock() throws Exception {
    Pawl a = pawl("a");
    DistributedLock lock = a.lock(name());
    lock.lock();

    Throwable failure =
        Background.start(
                "other",
                () -> {
                  assertThat(lock.isHeldByCurrentThread()).isFalse();
                  assertThat(lock.holdCount()).isZero();
                  lock.unlock();
                  return null;
                })
            .failure();

    assertThat(failure)
        .isInstanceOf(IllegalMonitorStateException.class)
        .hasMessageContaining(name());
    assertThat(lock.isHeldByCurrentThread()).isTrue();
    assertThat(pawl("b").lock(name()).tryLock()).isFalse();
    lock.unlock();
  }

  @Test
  void whatIsNotHeldCannotBeUnlocked() throws Exception {
    Pawl a = pawl("a");
    DistributedLock lock = a.lock(name());

    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(lock::token).isInstanceOf(IllegalMonitorStateException.class);
    try (Lease lease = lock.acquire()) {
      assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
      lease.ensureHeld();
    }
    lock.lock();
    lock.unlock();
    assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void tryLockIsFalseWhileAnotherThreadHoldsIt() throws Exception {
    Pawl a = pawl("a");
    DistributedLock lock = a.lock(name());
    lock.lock();

    assertThat(Background.start("other", lock::tryLock).result()).isFalse();
    assertThat(Background.start("other", () -> lock.tryLock(50, TimeUnit.MILLISECONDS)).result())
        .isFalse();
    assertThat(pawl("b").lock(name()).tryLock(50, TimeUnit.MILLISECONDS)).isFalse();

    lock.unlock();
    takenElsewhere(pawl("c"), name());
  }

  @Test
  void tryLockWithATimeGetsTheLockWhenItIsUnlocked() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    a.lock(name()).lock();
    Background<Boolean> waiting =
        Background.startAndBlock(
            "waiting",
            () -> {
              boolean locked = b.lock(name()).tryLock(LONG.toSeconds(), TimeUnit.SECONDS);
              b.lock(name()).unlock();
              return locked;
            });

    a.lock(name()).unlock();

    assertThat(waiting.result()).isTrue();
  }

  @Test
  void tryLockWithNoTimeLeftIsNowOrNever() throws Exception {
    DistributedLock lock = pawl("a").lock(name());

    assertThat(lock.tryLock(-1, TimeUnit.SECONDS)).isTrue();
    assertThat(pawl("b").lock(name()).tryLock(Long.MIN_VALUE, TimeUnit.DAYS)).isFalse();
    assertThat(pawl("b").lock(name()).tryLock(0, TimeUnit.DAYS)).isFalse();

    lock.unlock();
  }

  @Test
  void anInterruptEndsLockInterruptibly() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    a.lock(name()).lock();
    Background<Void> waiting =
        Background.startAndBlock(
            "waiting",
            () -> {
              b.lock(name()).lockInterruptibly();
              return null;
            });

    waiting.interrupt();

    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    a.lock(name()).unlock();
    takenElsewhere(pawl("c"), name());
  }

  @Test
  void anInterruptEndsTryLockWithATime() throws Exception {
    Pawl a = pawl("a");
    a.lock(name()).lock();
    Background<Boolean> waiting =
        Background.startAndBlock(
            "waiting", () -> a.lock(name()).tryLock(LONG.toSeconds(), TimeUnit.SECONDS));

    waiting.interrupt();

    assertThat(waiting.failure()).isInstanceOf(InterruptedException.class);
    a.lock(name()).unlock();
    takenElsewhere(pawl("b"), name());
  }

  @Test
  void anInterruptFromBeforeIsHonouredEvenOnReEntry() throws Exception {
    DistributedLock lock = pawl("a").lock(name());
    Background<Integer> interrupted =
        Background.start(
            "interrupted",
            () -> {
              lock.lock();
              try {
                Thread.currentThread().interrupt();
                assertThatThrownBy(lock::lockInterruptibly)
                    .isInstanceOf(InterruptedException.class);
                Thread.currentThread().interrupt();
                assertThatThrownBy(() -> lock.tryLock(1, TimeUnit.SECONDS))
                    .isInstanceOf(InterruptedException.class);
                return lock.holdCount();
              } finally {
                lock.unlock();
              }
            });

    assertThat(interrupted.result()).isEqualTo(1);
  }

  @Test
  void anInterruptDoesNotEndLockAndIsRemembered() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    a.lock(name()).lock();
    Background<Boolean> waiting =
        Background.startAndBlock(
            "waiting",
            () -> {
              b.lock(name()).lock();
              b.lock(name()).unlock();
              return Thread.interrupted();
            });

    waiting.interrupt();
    a.lock(name()).unlock();

    assertThat(waiting.result()).as("the interrupt flag after lock()").isTrue();
  }

  @Test
  void tryLockMindsNoInterrupt() throws Exception {
    DistributedLock lock = pawl("a").lock(name());
    Background<Boolean> interrupted =
        Background.start(
            "interrupted",
            () -> {
              Thread.currentThread().interrupt();
              boolean locked = lock.tryLock();
              boolean flag = Thread.interrupted();
              lock.unlock();
              return locked && flag;
            });

    assertThat(interrupted.result()).isTrue();
  }

  @Test
  void conditionsAreNotSupported() {
    assertThatThrownBy(() -> pawl("a").lock(name()).newCondition())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("condition");
  }

  @Test
  void aLockWhoseThreadEndedIsReleased() throws Exception {
    Pawl a = pawl("a");
    Background<Void> forgetful =
        Background.start(
            "forgetful",
            () -> {
              a.lock(name(), brief()).lock();
              return null;
            });
    forgetful.result();
    forgetful.join();

    takenElsewhere(pawl("b"), name());
  }

  @Test
  void threadsOfTwoNodesTakeTurnsWithoutALostUpdate() throws Exception {
    Pawl[] nodes = {pawl("a"), pawl("b")};
    long[] counter = new long[1];
    int threads = 6;
    int rounds = 15;
    Together.run(
        threads,
        i -> {
          DistributedLock lock = nodes[i % 2].lock(name());
          for (int round = 0; round < rounds; round++) {
            lock.lock();
            try {
              lock.lock();
              counter[0]++;
              lock.unlock();
            } finally {
              lock.unlock();
            }
          }
        });
    nodes[0].lock(name()).lock();
    assertThat(counter[0]).isEqualTo((long) threads * rounds);
    nodes[0].lock(name()).unlock();
  }
}
