package dev.pawl.bench.guide;

import static dev.pawl.bench.guide.Workers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedLock;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.ZooKeeperOptions;
import dev.pawl.zookeeper.ZooKeeperStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessLock;
import org.apache.curator.framework.recipes.locks.InterProcessMultiLock;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreMutex;
import org.apache.curator.framework.recipes.locks.InterProcessSemaphoreV2;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.ExponentialBackoffRetry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The page "From Curator": its recipes and ours side by side, on one ZooKeeper. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class FromCuratorTest {

  private static ZooKeeperServer server;
  private static CuratorFramework curator;
  private static CuratorFramework otherCurator;

  private final Workers workers = new Workers();
  private String name;
  private Pawl pawl;
  private Pawl other;

  static CuratorFramework curator(String address, int sessionMillis) {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(
            address, sessionMillis, 5_000, new ExponentialBackoffRetry(100, 3));
    client.start();
    return client;
  }

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start();
    curator = curator(server.address(), 20_000);
    otherCurator = curator(server.address(), 20_000);
  }

  @AfterAll
  static void stop() {
    curator.close();
    otherCurator.close();
    server.close();
  }

  @BeforeEach
  void connect(TestInfo test) {
    name = test.getTestMethod().orElseThrow().getName();
    pawl = over(curator);
    other = over(otherCurator);
  }

  private static Pawl over(CuratorFramework client) {
    return Pawl.builder(ZooKeeperStore.over(client, ZooKeeperOptions.DEFAULT)).build();
  }

  @AfterEach
  void close() {
    workers.close();
    pawl.close();
    other.close();
  }

  private InterProcessMutex mutex(CuratorFramework client) {
    return new InterProcessMutex(client, "/locks/" + name);
  }

  @Test
  void bothAreReentrantAndBelongToAThread() throws Exception {
    InterProcessMutex theirs = mutex(curator);
    DistributedLock ours = pawl.lock(name);
    theirs.acquire();
    theirs.acquire();
    ours.lock();
    ours.lock();
    assertThatThrownBy(
            () ->
                workers.elsewhere(
                    () -> {
                      theirs.release();
                      return null;
                    }))
        .isInstanceOf(IllegalMonitorStateException.class);
    assertThat(workers.elsewhere(theirs::isOwnedByCurrentThread)).isFalse();
    assertThat(workers.elsewhere(theirs::isAcquiredInThisProcess)).isTrue();
    assertThat(workers.elsewhere(ours::isHeldByCurrentThread)).isFalse();
    assertThat(workers.elsewhere(ours::isHeldByThisNode)).isTrue();
    theirs.release();
    ours.unlock();
    assertThat(theirs.isOwnedByCurrentThread()).isTrue();
    assertThat(ours.isHeldByCurrentThread()).isTrue();
    assertThat(mutex(otherCurator).acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.lock(name).tryAcquire(Duration.ofMillis(50))).isEmpty();
    assertThatThrownBy(() -> other.lock(name).acquire(Duration.ofMillis(50)))
        .isInstanceOf(LockTimeoutException.class)
        .hasMessageContaining(pawl.label());
    theirs.release();
    ours.unlock();
    assertThat(mutex(otherCurator).acquire(60, TimeUnit.SECONDS)).isTrue();
    assertThat(other.lock(name).tryLock(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void twoHandlesAreTwoLocksThereAndOneHere() throws Exception {
    mutex(curator).acquire();
    assertThat(mutex(curator).acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    pawl.lock(name).lock();
    assertThat(pawl.lock(name).tryLock()).isTrue();
  }

  @Test
  void aRevocationIsARequestThereAndAnOrderHere() throws Exception {
    InterProcessMutex theirs = mutex(curator);
    CountDownLatch asked = new CountDownLatch(1);
    theirs.makeRevocable(lock -> asked.countDown());
    theirs.acquire();
    CountDownLatch lost = new CountDownLatch(1);
    Lease ours = pawl.lock(name).acquire();
    ours.onLost(lost::countDown);
    assertThat(theirs.getParticipantNodes()).hasSize(1);
    assertThat(other.inspector().find(name).orElseThrow().holders()).hasSize(1);
    Revoker.attemptRevoke(otherCurator, theirs.getParticipantNodes().iterator().next());
    assertThat(other.inspector().forceRelease(name, ours.token(), "eve", "it hangs")).isTrue();
    assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(mutex(otherCurator).acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(other.lock(name).tryLock(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theSemaphoreMutexIsALease() throws Exception {
    InterProcessLock theirs = new InterProcessSemaphoreMutex(curator, "/locks/" + name);
    theirs.acquire();
    assertThat(theirs.acquire(50, TimeUnit.MILLISECONDS)).as("not reentrant").isFalse();
    Lease ours = pawl.lock(name).acquire();
    assertThatThrownBy(pawl.lock(name)::acquire).isInstanceOf(DeadlockException.class);
    workers.elsewhere(
        () -> {
          theirs.release();
          ours.close();
          return null;
        });
    assertThat(theirs.acquire(60, TimeUnit.SECONDS)).isTrue();
    assertThat(other.lock(name).tryLock(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void readersShareAndAWriterMayBecomeAReader() throws Exception {
    InterProcessReadWriteLock theirs = new InterProcessReadWriteLock(curator, "/locks/" + name);
    InterProcessReadWriteLock second =
        new InterProcessReadWriteLock(otherCurator, "/locks/" + name);
    theirs.readLock().acquire();
    assertThat(second.readLock().acquire(60, TimeUnit.SECONDS)).isTrue();
    assertThat(second.writeLock().acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(theirs.writeLock().acquire(50, TimeUnit.MILLISECONDS)).as("no way up").isFalse();
    second.readLock().release();
    theirs.readLock().release();
    theirs.writeLock().acquire();
    theirs.readLock().acquire();
    theirs.writeLock().release();
    assertThat(second.writeLock().acquire(50, TimeUnit.MILLISECONDS)).isFalse();

    DistributedReadWriteLock ours = pawl.readWriteLock(name);
    ours.readLock().lock();
    assertThat(other.readWriteLock(name).readLock().tryLock(60, TimeUnit.SECONDS)).isTrue();
    boolean isWritten = workers.elsewhere(() -> other.readWriteLock(name).writeLock().tryLock());
    assertThat(isWritten).isFalse();
    assertThatThrownBy(ours.writeLock()::lock).isInstanceOf(DeadlockException.class);
    other.readWriteLock(name).readLock().unlock();
    ours.readLock().unlock();
    ours.writeLock().lock();
    ours.readLock().lock();
    ours.writeLock().unlock();
    assertThat(other.readWriteLock(name).writeLock().tryLock()).isFalse();
  }

  @Test
  void semaphoresCountAndSeveralAreTakenAllOrNone() throws Exception {
    InterProcessSemaphoreV2 theirs = new InterProcessSemaphoreV2(curator, "/locks/" + name, 2);
    assertThat(theirs.acquire(2)).hasSize(2);
    assertThat(theirs.acquire(50, TimeUnit.MILLISECONDS)).isNull();
    assertThat(pawl.semaphore(name, 2).tryAcquire(2)).isPresent();
    assertThat(other.semaphore(name, 2).tryAcquire(1, Duration.ofMillis(50))).isEmpty();

    new InterProcessMutex(otherCurator, "/locks/b-" + name).acquire();
    InterProcessMultiLock both =
        new InterProcessMultiLock(curator, List.of("/locks/a-" + name, "/locks/b-" + name));
    assertThat(both.acquire(50, TimeUnit.MILLISECONDS)).isFalse();
    assertThat(
            new InterProcessMutex(otherCurator, "/locks/a-" + name).acquire(60, TimeUnit.SECONDS))
        .isTrue();
    other.lock("b-" + name).lock();
    assertThat(pawl.allOf("b-" + name, "a-" + name).tryAcquire(Duration.ofMillis(50))).isEmpty();
    assertThat(other.lock("a-" + name).tryLock(60, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void anInterruptEndsTheWaitAndLeavesNothingInBoth() throws Exception {
    InterProcessMutex theirs = mutex(otherCurator);
    theirs.acquire();
    interruptWhen(() -> mutex(curator).acquire(), () -> theirs.getParticipantNodes().size() == 2);
    until(() -> theirs.getParticipantNodes().size() == 1);
    DistributedLock ours = other.lock(name);
    ours.lock();
    interruptWhen(
        () -> pawl.lock(name).acquire(),
        () -> other.inspector().find(name).orElseThrow().waiters().size() == 1);
    until(() -> other.inspector().find(name).orElseThrow().waiters().isEmpty());
  }

  private void interruptWhen(
      BothMutexes.Step wait, java.util.concurrent.Callable<Boolean> isWaiting) throws Exception {
    AtomicReference<Thread> waiter = new AtomicReference<>();
    Future<?> waiting =
        workers.begin(
            () -> {
              waiter.set(Thread.currentThread());
              assertThatThrownBy(wait::run).isInstanceOf(InterruptedException.class);
              return null;
            });
    until(isWaiting);
    waiter.get().interrupt();
    waiting.get(60, TimeUnit.SECONDS);
  }

  @Test
  void tokensRiseAlsoWhenThePathWasDeleted() throws Exception {
    long before;
    try (Lease lease = pawl.lock(name).acquire()) {
      before = lease.token();
    }
    until(() -> other.inspector().find(name).isEmpty()); // Its node is gone, after two seconds.
    try (Lease lease = pawl.lock(name).acquire()) {
      assertThat(lease.token()).isGreaterThan(before);
    }
  }
}
