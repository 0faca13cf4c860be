package dev.pawl.bench.guide;

import static dev.pawl.bench.guide.Workers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/** The page "From Redisson": its locks and ours side by side, in one Redis. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class FromRedissonTest extends BesideRedisson {

  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final LockOptions BRIEF =
      LockOptions.DEFAULT.withLease(Duration.ofMillis(300)).withRenewal(false);

  @Test
  void bothAreReentrantAndCountTheirHolds() throws Exception {
    RLock theirs = redisson.getLock("x");
    DistributedLock ours = pawl.lock("x");
    theirs.lock();
    theirs.lock();
    ours.lock();
    ours.lock();
    assertThat(theirs.getHoldCount()).isEqualTo(2);
    assertThat(ours.holdCount()).isEqualTo(2);
    theirs.unlock();
    ours.unlock();
    assertThat(theirs.isHeldByCurrentThread()).isTrue();
    assertThat(ours.isHeldByCurrentThread()).isTrue();
    assertThat(otherRedisson.getLock("x").tryLock()).isFalse();
    assertThat(other.lock("x").tryLock()).isFalse();
    assertThat(workers.elsewhere(theirs::isHeldByCurrentThread)).isFalse();
    assertThat(workers.elsewhere(ours::isHeldByCurrentThread)).isFalse();
    theirs.unlock();
    ours.unlock();
    assertThat(theirs.isLocked()).isFalse();
    assertThat(other.lock("x").tryLock(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theirLeaseEndsAndOnlyUnlockSaysSoOursIsLost() throws Exception {
    RLock theirs = redisson.getLock("x");
    DistributedLock ours = pawl.lock("x", BRIEF);
    CountDownLatch lost = new CountDownLatch(1);
    theirs.lock(300, TimeUnit.MILLISECONDS);
    ours.lock();
    ours.onLost(lost::countDown);
    assertThat(otherRedisson.getLock("x").tryLock(30, 30, TimeUnit.SECONDS)).isTrue();
    assertThat(other.lock("x").tryLock(30, TimeUnit.SECONDS)).isTrue();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(theirs.isHeldByCurrentThread()).as("asked, the server knows").isFalse();
    assertThat(ours.isHeldByCurrentThread()).isFalse();
    assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(ours::unlock).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void reEntryWithATimeEndsTheirLockEarlyAndNotOurs() throws Exception {
    RLock theirs = redisson.getLock("x");
    theirs.lock();
    theirs.lock(300, TimeUnit.MILLISECONDS);
    assertThat(theirs.remainTimeToLive()).isLessThanOrEqualTo(300);
    pawl.lock("x").lock();
    pawl.lock("x", BRIEF).lock();
    assertThat(pawl.lock("x").remaining()).isGreaterThan(SECOND);
  }

  @Test
  void aWaitThatEndsIsFalseInBoth() throws Exception {
    assertThat(otherRedisson.getLock("x").tryLock()).isTrue();
    assertThat(other.lock("x").tryLock()).isTrue();
    long start = System.nanoTime();
    assertThat(redisson.getLock("x").tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(redisson.getLock("x").tryLock(50, 30_000, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(pawl.lock("x").tryLock(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(pawl.lock("x", BRIEF).tryAcquire(Duration.ofMillis(50))).isEmpty();
    assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(200));
  }

  @Test
  void theAsynchronousOnesBelongToAThreadsIdAndToNobody() throws Exception {
    RLock theirs = redisson.getLock("x");
    theirs.lockAsync(42).toCompletableFuture().get(60, TimeUnit.SECONDS);
    assertThat(theirs.isHeldByThread(42)).isTrue();
    assertThat(theirs.tryLockAsync(43).toCompletableFuture().get(60, TimeUnit.SECONDS)).isFalse();
    assertThatThrownBy(() -> theirs.unlockAsync(43).toCompletableFuture().get())
        .hasCauseInstanceOf(IllegalMonitorStateException.class);
    theirs.unlockAsync(42).toCompletableFuture().get(60, TimeUnit.SECONDS);
    Lease ours = pawl.lock("x").acquireAsync(SECOND).get(60, TimeUnit.SECONDS);
    workers.elsewhere(
        () -> {
          ours.close();
          return null;
        });
    assertThat(other.lock("x").tryLock(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void bothSayWhetherAndForHowLongItIsLocked() throws Exception {
    assertThat(new Config().getLockWatchdogTimeout()).isEqualTo(30_000);
    redisson.getLock("x").lock();
    pawl.lock("y").lock();
    assertThat(otherRedisson.getLock("x").isLocked()).isTrue();
    assertThat(otherRedisson.getLock("x").remainTimeToLive()).isBetween(15_000L, 30_000L);
    var holder = other.inspector().find("y").orElseThrow().holders().get(0);
    assertThat(holder.left()).isBetween(Duration.ofSeconds(3), Duration.ofSeconds(10));
    assertThat(server.call("EXISTS", "x")).as("their key is the name").isEqualTo(1L);
    assertThat(server.call("EXISTS", "y")).as("ours has a prefix").isEqualTo(0L);
  }

  @Test
  void aForcedReleaseIsToldToOurHolderAndNotToTheirs() throws Exception {
    RLock theirs = redisson.getLock("x");
    Lease ours = pawl.lock("x").acquire();
    CountDownLatch lost = new CountDownLatch(1);
    ours.onLost(lost::countDown);
    theirs.lock();
    assertThat(otherRedisson.getLock("x").forceUnlock()).isTrue();
    assertThat(other.inspector().forceRelease("x", ours.token(), "eve", "it hangs")).isTrue();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(other.inspector().journal("x", 10).toString()).contains("it hangs");
    assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
    assertThatThrownBy(ours::close).isInstanceOf(LeaseLostException.class);
  }

  @Test
  void anotherThreadUnlocksNeither() throws Exception {
    for (Lock each : List.of(redisson.getLock("x"), pawl.lock("x"))) {
      each.lock();
      assertThatThrownBy(
              () ->
                  workers.elsewhere(
                      () -> {
                        each.unlock();
                        return null;
                      }))
          .isInstanceOf(IllegalMonitorStateException.class);
      each.unlock();
    }
  }

  /** Their waiters with an interrupt: forgotten, or an error. Ours: remembered. */
  @Test
  void anInterruptOfLockIsForgottenThereAndRememberedHere() throws Exception {
    RLock theirs = otherRedisson.getLock("x");
    theirs.lock();
    assertThat(interrupted(redisson.getLock("x"), theirs::unlock)).isEqualTo("not interrupted");
    DistributedLock ours = other.lock("x");
    ours.lock();
    assertThat(interrupted(pawl.lock("x"), ours::unlock)).isEqualTo("interrupted");
  }

  private String interrupted(Lock lock, Runnable release) throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Future<String> waiting =
        workers.begin(
            () -> {
              waiter.set(Thread.currentThread());
              lock.lock();
              boolean isInterrupted = Thread.interrupted();
              lock.unlock();
              return isInterrupted ? "interrupted" : "not interrupted";
            });
    until(() -> waiter.get() != null && (isParked(waiter.get()) || waits()));
    waiter.get().interrupt();
    release.run();
    return waiting.get(60, TimeUnit.SECONDS);
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING;
  }

  private boolean waits() {
    return pawl.counts().waiting(Pawl.Counts.Kind.LOCK) == 1;
  }

  @Test
  void aThreadThatIsInterruptedAlreadyGetsOursAndNotAlwaysTheirs() throws Exception {
    workers.elsewhere(
        () -> {
          until(() -> isRefused(redisson.getLock("y")));
          Thread.currentThread().interrupt();
          pawl.lock("x").lock();
          assertThat(Thread.interrupted()).isTrue();
          pawl.lock("x").unlock();
          return null;
        });
  }

  /** Unless the answer comes before it looks. */
  private static boolean isRefused(RLock lock) {
    try {
      Thread.currentThread().interrupt();
      lock.lock();
      return false;
    } catch (RedisException e) {
      assertThat(e).hasRootCauseInstanceOf(InterruptedException.class);
      return true;
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void theirFairLockAndOursGoByTheOrderOfTheRequests() throws Exception {
    RLock theirs = redisson.getFairLock("x");
    theirs.lock();
    List<Integer> order = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 4; i++) {
      int number = i;
      var unused = workers.begin(() -> inTurn(otherRedisson.getFairLock("x"), order, number));
      until(() -> server.call("LLEN", "redisson_lock_queue:{x}").equals(number + 1L));
    }
    theirs.unlock();
    until(() -> order.size() == 4);
    assertThat(order).containsExactly(0, 1, 2, 3);

    DistributedLock ours = pawl.lock("x");
    ours.lock();
    for (int i = 0; i < 4; i++) {
      int number = i;
      var unused = workers.begin(() -> inTurn(other.lock("x"), order, number));
      until(() -> other.counts().waiting(Pawl.Counts.Kind.LOCK) == number + 1);
    }
    assertThat(pawl.inspector().find("x").orElseThrow().waiters())
        .as("one entry for the process, where Redisson's has one for each thread")
        .hasSize(1);
    ours.unlock();
    until(() -> order.size() == 8);
    assertThat(order).containsExactly(0, 1, 2, 3, 0, 1, 2, 3);
  }

  private static Object inTurn(Lock lock, List<Integer> order, int number) {
    lock.lock();
    order.add(number);
    lock.unlock();
    return number;
  }

  @Test
  void aThreadThatWouldWaitForItselfIsTold() throws Exception {
    try (Lease lease = pawl.lock("x").acquire()) {
      assertThatThrownBy(() -> pawl.lock("x").acquire()).isInstanceOf(DeadlockException.class);
    }
  }
}
