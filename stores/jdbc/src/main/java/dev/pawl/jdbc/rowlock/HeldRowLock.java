package dev.pawl.jdbc.rowlock;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A row lock that a claim holds, and how long it lasts if nobody renews it. */
final class HeldRowLock {

  final RowLockConnections.Lock lock;
  final Grant grant;
  final String name;
  volatile String actor;
  private volatile long untilMicros;

  /** Guards until when it is held, and whether it is ended: then nothing prolongs it (I1). */
  private final ReentrantLock guard = new ReentrantLock();

  /** By our clock. */
  private long untilNanos;

  private boolean ended;

  /** What the database's clock showed, and a moment of ours that was not later. */
  private long clockMicros;

  private long clockNanos;

  /** Whose turn it is to show the database that the connection lives. */
  private final Semaphore beat = new Semaphore(1);

  private final AtomicReference<@Nullable Future<?>> expiry = new AtomicReference<>();

  /**
   * Makes one.
   *
   * @param lockedNanos a moment before the database's clock was read for the grant
   * @param grantedNanos a moment after that
   */
  HeldRowLock(
      RowLockConnections.Lock lock,
      Grant grant,
      Command.Acquire command,
      long lockedNanos,
      long grantedNanos) {
    this.lock = lock;
    this.grant = grant;
    this.name = command.name();
    this.actor = command.actor();
    this.untilMicros = grant.untilMicros();
    this.untilNanos = grantedNanos + command.leaseMicros() * 1_000;
    this.clockMicros = grant.nowMicros();
    this.clockNanos = lockedNanos;
  }

  /** Begins a heartbeat; false if the one before does not end. */
  boolean beginBeat() {
    boolean interrupted = Thread.interrupted();
    long end = System.nanoTime() + Heartbeats.PATIENCE_NANOS;
    try {
      while (true) {
        try {
          return beat.tryAcquire(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  void endBeat() {
    beat.release();
  }

  Grant until(long nowMicros, long sentNanos, long leaseMicros) {
    guard.lock();
    try {
      clockMicros = nowMicros;
      clockNanos = sentNanos;
    } finally {
      guard.unlock();
    }
    // I2: a late copy of an earlier renewal must not shorten what the node counts on.
    untilMicros = Math.max(untilMicros, nowMicros + leaseMicros);
    return new Grant(grant.claim(), grant.token(), grant.span(), untilMicros, nowMicros);
  }

  /**
   * Says that nobody knows whether it is held: for no time. I2: the clock is shown as not earlier
   * than it is, since a node works out by it how long another answer lasts.
   */
  Grant inDoubt() {
    guard.lock();
    try {
      long now = clockMicros + (System.nanoTime() - clockNanos) / 1_000;
      return new Grant(grant.claim(), grant.token(), grant.span(), now, now);
    } finally {
      guard.unlock();
    }
  }

  long leftNanos() {
    guard.lock();
    try {
      return untilNanos - System.nanoTime();
    } finally {
      guard.unlock();
    }
  }

  /** Lets it last until then at the earliest; false if it is ended. */
  boolean prolong(long nanos) {
    guard.lock();
    try {
      if (nanos - untilNanos > 0) {
        untilNanos = nanos;
      }
      return !ended;
    } finally {
      guard.unlock();
    }
  }

  /** Ends it if its time is up; tells whether it is ended. */
  boolean endIfDue() {
    guard.lock();
    try {
      ended |= untilNanos - System.nanoTime() <= 0;
      return ended;
    } finally {
      guard.unlock();
    }
  }

  void end() {
    guard.lock();
    try {
      ended = true;
    } finally {
      guard.unlock();
    }
    expiresBy(null);
  }

  /** Takes the timer that ends it in place of the one before, which has fired or is of no use. */
  void expiresBy(@Nullable Future<?> timer) {
    Future<?> before = expiry.getAndSet(timer);
    if (before != null) {
      before.cancel(false);
    }
  }
}
