package dev.pawl.bench.guide;

import static dev.pawl.bench.guide.Workers.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedReadWriteLock;
import dev.pawl.DistributedSemaphore;
import dev.pawl.Lease;
import dev.pawl.LeaseGroup;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.RedisServer;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;
import org.redisson.client.RedisException;
import org.redisson.config.Config;

/** The page "From Redisson": what is not a plain lock, what goes wrong, and the change itself. */
@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class FromRedissonFurtherTest extends BesideRedisson {

  @Test
  void readersShareAndAWriterMayBecomeAReader() throws Exception {
    RReadWriteLock theirs = redisson.getReadWriteLock("x");
    theirs.readLock().lock();
    assertThat(otherRedisson.getReadWriteLock("x").readLock().tryLock()).isTrue();
    assertThat(otherRedisson.getReadWriteLock("x").writeLock().tryLock()).isFalse();
    assertThat(theirs.writeLock().tryLock()).as("no way up").isFalse();
    otherRedisson.getReadWriteLock("x").readLock().unlock();
    theirs.readLock().unlock();
    theirs.writeLock().lock();
    theirs.readLock().lock();
    theirs.writeLock().unlock();
    assertThat(otherRedisson.getReadWriteLock("x").writeLock().tryLock()).isFalse();

    DistributedReadWriteLock ours = pawl.readWriteLock("x");
    ours.readLock().lock();
    assertThat(other.readWriteLock("x").readLock().tryLock()).isTrue();
    boolean isWritten = workers.elsewhere(() -> other.readWriteLock("x").writeLock().tryLock());
    assertThat(isWritten).isFalse();
    assertThatThrownBy(ours.writeLock()::lock).isInstanceOf(DeadlockException.class);
    other.readWriteLock("x").readLock().unlock();
    ours.readLock().unlock();
    ours.writeLock().lock();
    ours.readLock().lock();
    ours.writeLock().unlock();
    assertThat(other.readWriteLock("x").writeLock().tryLock()).isFalse();
  }

  @Test
  void aPermitOfAProcessThatIsGoneComesBackHereAndNotThere() throws Exception {
    RedissonClient leaving = redisson(server);
    assertThat(leaving.getSemaphore("x").tryAcquire()).as("none before trySetPermits").isFalse();
    assertThat(leaving.getSemaphore("x").trySetPermits(4)).isTrue();
    assertThat(leaving.getSemaphore("x").trySetPermits(5)).as("the first counts").isFalse();
    leaving.getSemaphore("x").acquire();
    leaving.shutdown();
    RSemaphore theirs = redisson.getSemaphore("x");
    assertThat(theirs.availablePermits()).isEqualTo(3);
    theirs.release();
    theirs.release();
    assertThat(theirs.availablePermits()).as("more than there ever were").isEqualTo(5);

    DistributedSemaphore brief =
        pawl.semaphore(
            "x", 4, LockOptions.DEFAULT.withLease(Duration.ofMillis(300)).withRenewal(false));
    assertThat(brief.tryAcquire(1)).isPresent(); // Nobody renews or closes it any more.
    assertThat(other.semaphore("x", 4).tryAcquire(4)).isEmpty();
    assertThat(other.semaphore("x", 4).tryAcquire(4, Duration.ofSeconds(60))).isPresent();
  }

  @Test
  void anExpirablePermitIsGivenBackByItsId() throws Exception {
    RPermitExpirableSemaphore theirs = redisson.getPermitExpirableSemaphore("x");
    theirs.trySetPermits(1);
    String permit = theirs.acquire(300, TimeUnit.MILLISECONDS);
    String next = otherRedisson.getPermitExpirableSemaphore("x").tryAcquire(60, TimeUnit.SECONDS);
    assertThat(next).isNotNull();
    assertThat(theirs.tryRelease(permit)).as("it has expired").isFalse();
    Lease ours = pawl.semaphore("x", 1).acquire();
    assertThat(other.semaphore("x", 1).tryAcquire(1)).isEmpty();
    ours.close();
    assertThat(other.semaphore("x", 1).tryAcquire(1, Duration.ofSeconds(60))).isPresent();
  }

  @Test
  void severalAreTakenAllOrNone() throws Exception {
    otherRedisson.getLock("b").lock();
    assertThat(
            redisson
                .getMultiLock(redisson.getLock("a"), redisson.getLock("b"))
                .tryLock(50, TimeUnit.MILLISECONDS))
        .isFalse();
    assertThat(redisson.getLock("a").isLocked()).isFalse();
    other.lock("b").lock();
    assertThat(pawl.allOf("b", "a").names()).containsExactly("a", "b");
    assertThat(pawl.allOf("b", "a").tryAcquire(Duration.ofMillis(50))).isEmpty();
    assertThat(other.lock("a").tryLock(30, TimeUnit.SECONDS)).isTrue();
    other.lock("a").unlock();
    other.lock("b").unlock();
    try (LeaseGroup group = pawl.allOf("b", "a").acquire()) {
      assertThat(group.isHeld()).isTrue();
    }
  }

  @Test
  void tokensRiseInBoth() throws Exception {
    RFencedLock theirs = redisson.getFencedLock("x");
    long first = theirs.lockAndGetToken();
    theirs.unlock();
    assertThat(theirs.lockAndGetToken()).isGreaterThan(first);
    long ours;
    try (Lease lease = pawl.lock("x").acquire()) {
      ours = lease.token();
    }
    try (Lease lease = pawl.lock("x").acquire()) {
      assertThat(lease.token()).isGreaterThan(ours);
    }
  }

  /** As after a failover to a replica that had not heard of the lock. */
  @Test
  void aLockThatTheServerForgotIsToldToOurHolderAndNotToTheirs() throws Exception {
    Config config = new Config();
    config.setLockWatchdogTimeout(900);
    config.useSingleServer().setAddress(server.url()).setConnectionMinimumIdleSize(1);
    RedissonClient watched = Redisson.create(config);
    RLock theirs = watched.getLock("x");
    theirs.lock();
    CountDownLatch lost = new CountDownLatch(1);
    Lease ours = pawl.lock("x", LockOptions.DEFAULT.withLease(Duration.ofMillis(900))).acquire();
    ours.onLost(lost::countDown);
    server.call("FLUSHALL");
    assertThat(otherRedisson.getLock("x").tryLock()).isTrue();
    assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
    assertThatThrownBy(ours::close).isInstanceOf(LeaseLostException.class);
    assertThatThrownBy(theirs::unlock).isInstanceOf(IllegalMonitorStateException.class);
    watched.shutdown();
  }

  @Test
  void anOutageIsAnExceptionInBoth() throws Exception {
    try (RedisServer mortal = RedisServer.start();
        Pawl node = Pawl.builder(mortal.url()).responseTimeout(Duration.ofSeconds(1)).build()) {
      Config config = new Config();
      config
          .useSingleServer()
          .setAddress(mortal.url())
          .setConnectionMinimumIdleSize(1)
          .setTimeout(500)
          .setRetryAttempts(1);
      RedissonClient client = Redisson.create(config);
      node.lock("x").lock();
      node.lock("x").unlock();
      mortal.kill();
      assertThatThrownBy(client.getLock("x")::lock).isInstanceOf(RedisException.class);
      assertThatThrownBy(node.lock("x")::lock)
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      client.shutdown();
    }
  }

  @Test
  void theirPlainWaitersShareASubscription() throws Exception {
    RLock theirs = redisson.getLock("x");
    theirs.lock();
    for (int i = 0; i < 8; i++) {
      var unused = workers.begin(() -> otherRedisson.getLock("x").tryLock(60, TimeUnit.SECONDS));
    }
    until(
        () ->
            server.call("PUBSUB", "NUMSUB", "redisson_lock__channel:{x}").toString().contains("1"));
    assertThat(server.call("KEYS", "*").toString()).contains("x").doesNotContain("queue");
    theirs.unlock();
  }

  @Test
  void aNodeThatClosesGivesUpOursAndNotTheirs() throws Exception {
    RedissonClient leaving = redisson(server);
    leaving.getLock("x").lock();
    leaving.shutdown();
    assertThat(redisson.getLock("x").tryLock()).isFalse();
    assertThat(redisson.getLock("x").remainTimeToLive()).isPositive();
    try (Pawl node = Pawl.connect(server.url())) {
      node.lock("x").lock();
    }
    assertThat(pawl.lock("x").tryLock()).isTrue();
  }

  @Test
  void duringTheChangeNoTwoWork() throws Exception {
    Workers.Version old =
        work -> {
          RLock lock = redisson.getLock("invoice-run");
          lock.lock();
          work.accept("old");
          lock.unlock();
        };
    Workers.Version both =
        work ->
            BothLocks.underBoth(
                otherRedisson.getLock("invoice-run"),
                other.lock("invoice-run"),
                () -> {
                  work.accept("both");
                  return null;
                });
    Workers.Version patient =
        work -> {
          while (!BothLocks.tryBoth(
              redisson.getLock("invoice-run"),
              pawl.lock("invoice-run"),
              50,
              () -> work.accept("both, with a limit"))) {
            Thread.onSpinWait();
          }
        };
    Workers.Version neo =
        work -> {
          try (Lease lease = pawl.lock("invoice-run").acquire()) {
            work.accept("new");
          }
        };
    workers.beside(50, old, old, both, both, patient);
    workers.beside(50, both, both, patient, neo, neo);
    Workers.assertShown("from-redisson.md", "BothLocks");
  }
}
