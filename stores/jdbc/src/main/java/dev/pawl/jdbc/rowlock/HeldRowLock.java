package dev.pawl.jdbc.rowlock;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.concurrent.Future;
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
  private final AtomicReference<@Nullable Future<?>> expiry = new AtomicReference<>();

  HeldRowLock(
      RowLockConnections.Lock lock, Grant grant, Command.Acquire command, long grantedNanos) {
    this.lock = lock;
    this.grant = grant;
    this.name = command.name();
    this.actor = command.actor();
    this.untilMicros = grant.untilMicros();
    this.untilNanos = grantedNanos + command.leaseMicros() * 1_000;
  }

  Grant until(long nowMicros, long leaseMicros) {
    // I2: a late copy of an earlier renewal must not shorten what the node counts on.
    untilMicros = Math.max(untilMicros, nowMicros + leaseMicros);
    return new Grant(grant.claim(), grant.token(), grant.span(), untilMicros, nowMicros);
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
