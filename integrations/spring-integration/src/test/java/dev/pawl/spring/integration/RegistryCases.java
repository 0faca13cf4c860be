package dev.pawl.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;

/** What callers of a registry of Spring Integration count on, with two nodes on a real store. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
abstract class RegistryCases {

  private static final Duration BRIEF = Duration.ofMillis(200);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private Pawl here;
  private Pawl there;
  private PawlLockRegistry registry;
  private PawlLockRegistry other;

  abstract String url();

  @BeforeEach
  void connect() {
    here = connected();
    there = connected();
    registry = new PawlLockRegistry(here);
    other = new PawlLockRegistry(there);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    here.close();
    there.close();
  }

  /** A node that bears a machine that stalls. */
  private Pawl connected() {
    return Pawl.builder(url()).responseTimeout(Duration.ofMinutes(1)).build();
  }

  private <T> T elsewhere(Callable<T> action) throws Exception {
    return threads.submit(action).get(60, TimeUnit.SECONDS);
  }

  @Test
  void aLockIsHeldByOneThreadOfOneNode() throws Exception {
    DistributedLock lock = registry.obtain("foo");
    lock.lock();
    assertThat(other.obtain("foo").tryLock()).isFalse();
    assertThat(elsewhere(() -> registry.obtain("foo").tryLock())).isFalse();
    assertThat(other.obtain("bar").tryLock()).isTrue();
    other.obtain("bar").unlock();
    lock.unlock();
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    other.obtain("foo").unlock();
  }

  @Test
  void aThreadEntersAgainAlsoByAnotherHandle() throws Exception {
    registry.obtain("foo").lockInterruptibly();
    assertThat(registry.obtain("foo").tryLock()).isTrue();
    registry.obtain("foo").lock(Duration.ofSeconds(5));
    registry.obtain("foo").unlock();
    registry.obtain("foo").unlock();
    assertThat(other.obtain("foo").tryLock()).isFalse();
    registry.obtain("foo").unlock();
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    other.obtain("foo").unlock();
  }

  @Test
  void aWaiterGetsItWhenItIsFree() throws Exception {
    registry.obtain("foo").lock();
    CountDownLatch started = new CountDownLatch(1);
    CompletableFuture<Boolean> waiting =
        CompletableFuture.supplyAsync(
            () -> {
              started.countDown();
              try {
                return other.obtain("foo").tryLock(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            threads);
    started.await();
    assertThat(other.obtain("foo").tryLock(10, TimeUnit.MILLISECONDS)).isFalse();
    registry.obtain("foo").unlock();
    assertThat(waiting.get(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anotherThreadMayNotUnlockIt() {
    registry.obtain("foo").lock();
    assertThatThrownBy(
            () ->
                elsewhere(
                    () -> {
                      registry.obtain("foo").unlock();
                      return true;
                    }))
        .hasCauseInstanceOf(IllegalMonitorStateException.class);
    registry.obtain("foo").unlock();
    assertThatThrownBy(registry.obtain("foo")::unlock)
        .isInstanceOf(IllegalMonitorStateException.class);
  }

  @Test
  void aTimeToLiveEndsTheLockAndUnlockSaysSo() throws Exception {
    DistributedLock lock = registry.obtain("foo");
    assertThat(lock.tryLock(Duration.ofSeconds(30), BRIEF)).isTrue();
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(lock::unlock)
        .isInstanceOf(ConcurrentModificationException.class)
        .hasMessageContaining("lost");
    other.obtain("foo").unlock();
    lock.lock();
    lock.unlock();
  }

  @Test
  void aTimeToLiveIsRenewed() throws Exception {
    DistributedLock lock = registry.obtain("foo");
    lock.lock(Duration.ofSeconds(30));
    registry.renewLock("foo", Duration.ofMinutes(5));
    assertThat(here.lock("spring:foo").remaining()).isGreaterThan(Duration.ofMinutes(1));
    assertThat(other.obtain("foo").tryLock()).isFalse();
    registry.renewLock("foo");
    lock.unlock();
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    other.obtain("foo").unlock();
  }

  @Test
  void aReEntryHasTheTimeToLiveBeginAnew() throws Exception {
    dev.pawl.DistributedLock held = here.lock("spring:foo");
    PawlLockRegistry minute =
        new PawlLockRegistry(
            here, "spring:", here.lock("x").options().withLease(Duration.ofMinutes(1)));
    minute.obtain("foo").lock(Duration.ofSeconds(20));
    minute.obtain("foo").lock();
    assertThat(held.remaining()).isGreaterThan(Duration.ofSeconds(30));
    assertThat(minute.obtain("foo").tryLock(Duration.ZERO, Duration.ofMinutes(5))).isTrue();
    assertThat(held.remaining()).isGreaterThan(Duration.ofMinutes(4));
    minute.obtain("foo").lock(Duration.ofSeconds(20));
    assertThat(held.remaining()).as("it is never shortened").isGreaterThan(Duration.ofMinutes(4));
    assertThat(held.holdCount()).isEqualTo(4);
    for (int i = 0; i < 4; i++) {
      minute.obtain("foo").unlock();
    }
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    other.obtain("foo").unlock();
  }

  @Test
  void whatTheThreadDoesNotHoldIsNotRenewed() throws Exception {
    assertThatThrownBy(() -> registry.renewLock("foo"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("spring:foo");
    registry.obtain("foo").lock(BRIEF);
    assertThat(other.obtain("foo").tryLock(30, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(() -> registry.renewLock("foo", Duration.ofSeconds(5)))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("lost");
  }

  @Test
  void aLockWithoutATimeToLiveOutlastsItsLease() throws Exception {
    PawlLockRegistry quick =
        new PawlLockRegistry(
            here, "spring:", here.lock("x").options().withLease(Duration.ofSeconds(1)));
    // A renewal comes too late where a thread stands still for as long as the lease.
    Measurement.whereNothingStalls(
        () -> {
          quick.obtain("foo").lock();
          boolean hasEnded = other.obtain("foo").tryLock(2, TimeUnit.SECONDS);
          if (hasEnded) {
            other.obtain("foo").unlock();
            assertThatThrownBy(quick.obtain("foo")::unlock)
                .isInstanceOf(ConcurrentModificationException.class);
          } else {
            quick.obtain("foo").unlock();
          }
          assertThat(hasEnded).isFalse();
        });
  }

  @Test
  void nothingIsKeptOfALockThatIsNotHeld() throws Exception {
    DistributedLock lock = registry.obtain("foo");
    for (int i = 0; i < 100; i++) {
      registry.obtain("key " + i).lock();
      registry.obtain("key " + i).unlock();
    }
    lock.lock();
    registry.expireUnusedOlderThan(0);
    assertThat(other.obtain("foo").tryLock()).isFalse();
    lock.unlock(); // The handle is as good as before.
    assertThat(here.counts().held(Pawl.Counts.Kind.LOCK)).isZero();
  }

  @Test
  void workIsDoneUnderALock() throws Exception {
    String done =
        registry.<String, RuntimeException>executeLocked(
            "foo", () -> other.obtain("foo").tryLock() ? "twice" : "once");
    assertThat(done).isEqualTo("once");
    other.obtain("foo").lock();
    assertThatThrownBy(
            () ->
                registry.<RuntimeException>executeLocked(
                    "foo", Duration.ofMillis(10), () -> assertThat(true).isFalse()))
        .isInstanceOf(TimeoutException.class);
    other.obtain("foo").unlock();
  }

  /** As FileWritingMessageHandler does it, with the path of the file. */
  @Test
  void aKeyThatIsTooLongForANameIsALockOfItsOwn() {
    String path = "/data/" + "directory/".repeat(100);
    registry.obtain(path + "a").lock();
    registry.obtain("line\nbreak").lock();
    assertThat(other.obtain(path + "a").tryLock()).isFalse();
    assertThat(other.obtain(path + "b").tryLock()).isTrue();
    assertThat(other.obtain("line\nbreak").tryLock()).isFalse();
    assertThat(other.obtain("line\rbreak").tryLock()).isTrue();
    assertThat(registry.obtain(path + "a").toString()).startsWith("lock spring:/data/directory/");
    registry.renewLock(path + "a");
    registry.obtain(path + "a").unlock();
  }

  @Test
  void conditionsAreNotSupported() {
    assertThatThrownBy(registry.obtain("foo")::newCondition)
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void theLeaderOfSpringIntegrationIsOneAndIsSucceeded() throws Exception {
    CompletableFuture<Context> first = new CompletableFuture<>();
    CompletableFuture<Context> second = new CompletableFuture<>();
    LockRegistryLeaderInitiator here = initiator(registry, first);
    LockRegistryLeaderInitiator there = initiator(other, second);
    here.start();
    first.get(60, TimeUnit.SECONDS);
    there.start();
    assertThat(there.getContext().isLeader()).isFalse();
    here.stop();
    second.get(60, TimeUnit.SECONDS);
    there.stop();
  }

  @Test
  void aLeaderWhoseLockIsTakenAwayIsRevokedAndMayBeElectedAgain() throws Exception {
    BlockingQueue<String> said = new LinkedBlockingQueue<>();
    LockRegistryLeaderInitiator initiator =
        new LockRegistryLeaderInitiator(
            registry,
            new DefaultCandidate("id", "office") {
              @Override
              public void onGranted(Context context) {
                said.add("granted");
              }

              @Override
              public void onRevoked(Context context) {
                said.add("revoked");
              }
            });
    initiator.setHeartBeatMillis(50);
    initiator.setBusyWaitMillis(10);
    initiator.start();
    assertThat(said.poll(60, TimeUnit.SECONDS)).isEqualTo("granted");
    long token = there.inspector().find("spring:office").orElseThrow().holders().get(0).token();
    assertThat(there.inspector().forceRelease("spring:office", token, "eve", "a test")).isTrue();
    assertThat(said.poll(60, TimeUnit.SECONDS)).isEqualTo("revoked");
    assertThat(said.poll(60, TimeUnit.SECONDS)).isEqualTo("granted");
    initiator.stop();
  }

  private static LockRegistryLeaderInitiator initiator(
      PawlLockRegistry registry, CompletableFuture<Context> granted) {
    LockRegistryLeaderInitiator initiator =
        new LockRegistryLeaderInitiator(
            registry,
            new DefaultCandidate() {
              @Override
              public void onGranted(Context context) {
                granted.complete(context);
              }
            });
    initiator.setHeartBeatMillis(50);
    initiator.setBusyWaitMillis(10);
    return initiator;
  }
}
