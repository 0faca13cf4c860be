package dev.pawl.spring.integration;

import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.time.Duration;
import java.util.ConcurrentModificationException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.springframework.integration.support.locks.DistributedLock;

/** A lock of a thread, as Spring Integration sees it. */
final class RegistryLock implements DistributedLock {

  private final Pawl pawl;
  private final String name;
  private final LockOptions options;

  RegistryLock(Pawl pawl, String name, LockOptions options) {
    this.pawl = pawl;
    this.name = name;
    this.options = options;
  }

  private dev.pawl.DistributedLock renewed() {
    return pawl.lock(name, options);
  }

  /** One that ends after its time to live, whatever its holder does. */
  private dev.pawl.DistributedLock lasting(Duration ttl) {
    return pawl.lock(name, options.withLease(ttl).withRenewal(false));
  }

  /**
   * Has a thread that held the lock already hold it for that time at least: the first entry may
   * have had a shorter time to live, and its options stay.
   */
  private void entered(Duration atLeast) {
    dev.pawl.DistributedLock lock = renewed();
    if (lock.holdCount() < 2) {
      return;
    }
    try {
      lock.extend(atLeast);
    } catch (RuntimeException e) {
      undo(lock, e);
      throw e;
    }
  }

  private static void undo(dev.pawl.DistributedLock lock, RuntimeException why) {
    try {
      lock.unlock();
    } catch (RuntimeException e) {
      why.addSuppressed(e);
    }
  }

  /** Of a lock that is renewed more is left than this, so that it costs no round trip. */
  private void entered() {
    dev.pawl.DistributedLock lock = renewed();
    if (lock.holdCount() > 1 && lock.remaining().compareTo(options.lease().dividedBy(2)) < 0) {
      entered(options.lease());
    }
  }

  @Override
  public void lock() {
    renewed().lock();
    entered();
  }

  @Override
  public void lock(Duration ttl) {
    lasting(ttl).lock();
    entered(ttl);
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    renewed().lockInterruptibly();
    entered();
  }

  @Override
  public boolean tryLock() {
    boolean isMine = renewed().tryLock();
    if (isMine) {
      entered();
    }
    return isMine;
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    boolean isMine = renewed().tryLock(time, unit);
    if (isMine) {
      entered();
    }
    return isMine;
  }

  @Override
  public boolean tryLock(Duration wait, Duration ttl) throws InterruptedException {
    boolean isMine = lasting(ttl).tryLock(TimeUnit.NANOSECONDS.convert(wait), TimeUnit.NANOSECONDS);
    if (isMine) {
      entered(ttl);
    }
    return isMine;
  }

  /**
   * Undoes one {@code lock}.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   * @throws ConcurrentModificationException if the lock was lost or has ended meanwhile: what was
   *     done under it may not have been alone. This is what callers of a registry expect
   */
  @Override
  public void unlock() {
    try {
      renewed().unlock();
    } catch (LeaseLostException e) {
      ConcurrentModificationException lost = new ConcurrentModificationException(e.getMessage());
      lost.initCause(e);
      throw lost;
    }
  }

  @Override
  public Condition newCondition() {
    return renewed().newCondition();
  }

  @Override
  public String toString() {
    return "lock " + name;
  }
}
