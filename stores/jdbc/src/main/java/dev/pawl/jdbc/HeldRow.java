package dev.pawl.jdbc;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** A row lock that a claim holds, and how long it lasts if nobody renews it. */
final class HeldRow {

  final RowLockConnections.Lock lock;
  final Grant grant;
  final String name;
  volatile String actor;
  private volatile long untilMicros;
  private final AtomicReference<Term> term;
  private final AtomicReference<@Nullable Future<?>> expiry = new AtomicReference<>();

  HeldRow(RowLockConnections.Lock lock, Grant grant, Command.Acquire command, long grantedNanos) {
    this.lock = lock;
    this.grant = grant;
    this.name = command.name();
    this.actor = command.actor();
    this.untilMicros = grant.untilMicros();
    this.term =
        new AtomicReference<>(new Term(grantedNanos + command.leaseMicros() * 1_000, false));
  }

  /** Until when it is held, by our clock; once it is over, nothing prolongs it (I1). */
  private record Term(long untilNanos, boolean over) {}

  Grant until(long nowMicros, long leaseMicros) {
    // I2: a late copy of an earlier renewal must not shorten what the node counts on.
    untilMicros = Math.max(untilMicros, nowMicros + leaseMicros);
    return new Grant(grant.claim(), grant.token(), grant.span(), untilMicros, nowMicros);
  }

  long leftNanos() {
    return Objects.requireNonNull(term.get()).untilNanos() - System.nanoTime();
  }

  /** Lets it last until then at the earliest; false if it is over. */
  boolean prolong(long nanos) {
    Term now =
        term.updateAndGet(
            old -> old.over() ? old : new Term(Math.max(old.untilNanos(), nanos), false));
    return !now.over();
  }

  /** Ends it if its time is up; tells whether it is over. */
  boolean endIfDue() {
    Term old = Objects.requireNonNull(term.get());
    boolean due = old.untilNanos() - System.nanoTime() <= 0;
    return old.over() || (due && term.compareAndSet(old, new Term(0, true)));
  }

  void end() {
    term.set(new Term(0, true));
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
