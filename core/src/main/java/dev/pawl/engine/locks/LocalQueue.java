package dev.pawl.engine.locks;

import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Names;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that this node has to do with one name: a {@link Contender} for each kind of claim that its
 * callers want, behind one lock. It is made by the first caller and goes with the last (I10).
 *
 * <p>The lock is held for a few instructions and never across a call to the store or to the user:
 * such calls are collected and made afterwards, in the thread that caused them. The queue is that
 * lock, since a node may have very many of them.
 */
final class LocalQueue extends ReentrantLock {

  private static final long serialVersionUID = 1L;

  private final transient Engine engine;
  private final String name;

  /** Few, and a new list for each change. */
  private transient List<Contender> contenders = List.of();

  private boolean retired;

  LocalQueue(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  // Callers.

  /** Puts a caller in line; false if this queue has ended, and the next one is to be asked. */
  boolean join(Caller caller, boolean mayBlock) {
    Afterwards after = new Afterwards(mayBlock);
    lock();
    try {
      if (retired) {
        return false;
      }
      caller.queue = this;
      if (engine.isClosed()) {
        after.add(
            unused -> caller.outcome.complete(new CallResult.Failed(engine::closedException)));
      } else {
        contenderFor(caller.request).join(caller, after);
      }
      retireIfEmpty();
    } finally {
      unlock();
    }
    after.run();
    return true;
  }

  /** Returns a lease of a caller's own thread for which it would wait in vain. */
  @Nullable HeldLease ownLeaseBefore(Caller caller) {
    for (Contender contender : contenders) {
      HeldLease lease = contender.ownLeaseBefore(caller);
      if (lease != null) {
        return lease;
      }
    }
    return null;
  }

  private Contender contenderFor(Request request) {
    for (Contender contender : contenders) {
      if (contender.serves(request)) {
        return contender;
      }
    }
    Contender made = new Contender(engine, this, request);
    contenders = Few.with(contenders, made);
    return made;
  }

  /**
   * Takes a caller out of its line; false if its call has ended already. Its outcome is there when
   * the store has let go of its claim, and after {@code partingNanos} at the latest.
   */
  boolean leave(Caller caller, CallResult outcome, long partingNanos) {
    return decide(
        false,
        after -> {
          for (Contender contender : contenders) {
            if (contender.leave(caller, outcome, partingNanos, after)) {
              return true;
            }
          }
          return false;
        });
  }

  /** Ends a caller's wait because its time is up. */
  void timeOut(Caller caller) {
    locked(false, after -> contenders.forEach(contender -> contender.timeOut(caller, after)));
  }

  // Leases.

  /** Gives up a lease; returns the store's answer if there is one to wait for. */
  @Nullable Ending<ReleaseReply> release(HeldLease lease, boolean mayBlock) {
    return decide(
        mayBlock, after -> isCurrent(lease) ? engine.handOver().release(lease, after) : null);
  }

  /**
   * Gives up the lease of a job whose tick is done, as {@code end} says; null if it had been lost
   * or closed before.
   */
  public <R> @Nullable Ending<R> finish(
      HeldLease lease, long mark, long keepMarkMicros, TickEnding<R> end) {
    return decide(
        true,
        after ->
            isCurrent(lease)
                ? engine.handOver().finish(lease, mark, keepMarkMicros, end, after)
                : null);
  }

  /**
   * Ends a lease and keeps its name until then, for nobody; false if it had been lost or closed.
   */
  boolean keep(HeldLease lease, long untilNanos) {
    return decide(
        false, after -> isCurrent(lease) && engine.handOver().keep(lease, untilNanos, after));
  }

  /** Returns a renewal of a lease, for that many microseconds if that is more than usual. */
  Command.Renew renewCommand(HeldLease lease, long leaseMicros) {
    LocalClaim claim = lease.claim();
    return read(() -> claim.renewCommand(claim.contender.actorOf(claim), leaseMicros));
  }

  /** Takes a lease away from its holder in this node. */
  void expire(HeldLease lease, String reason) {
    locked(
        false,
        after -> {
          if (isCurrent(lease)) {
            engine.handOver().expire(lease, reason, after);
          }
        });
  }

  /** Turns a held exclusive claim into a shared one. */
  void downgrade(HeldLease lease) {
    locked(
        true,
        after -> {
          if (isCurrent(lease)) { // Else it was lost meanwhile, which its owner will find out.
            LocalClaim claim = lease.claim();
            Request shared = Request.shared(name, claim.request.options());
            claim.contender.downgrade(claim, contenderFor(shared), after);
          }
        });
  }

  /** Tells, once, that a lease had been lost before it was closed. */
  boolean reportLoss(HeldLease lease) {
    return read(lease::reportLoss);
  }

  void onLostRun(HeldLease lease, Runnable action) {
    if (!read(() -> lease.addOnLost(action))) {
      engine.events().runLoss(action);
    }
  }

  /** Has the store told what has changed about the thread behind a lease. */
  void tellNow(HeldLease lease) {
    locked(
        false,
        after -> {
          if (isCurrent(lease)) {
            LocalClaim claim = lease.claim();
            claim.tellNow(engine.now());
            engine.timers().set(claim, claim.wakeNanos());
          }
        });
  }

  private static boolean isCurrent(HeldLease lease) {
    return lease.claim().lease == lease;
  }

  /** Ends everything: the lines are refused, the grants are given up. */
  void close() {
    locked(false, after -> contenders.forEach(contender -> contender.close(after)));
  }

  // What reaches the claims from outside.

  void onTimer(LocalClaim claim, long now) {
    locked(false, after -> claim.contender.onTimer(claim, now, after));
  }

  void onRenewed(
      LocalClaim claim, RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error) {
    locked(false, after -> claim.contender.onRenewed(claim, call, reply, error, after));
  }

  /** Passes a signal on to the claim of that number; if it is negative, to all that ask or wait. */
  void onSignal(Signal signal, long counter) {
    locked(
        false,
        after -> {
          boolean lost = false;
          for (Contender contender : contenders) {
            lost |= contender.onSignal(signal, counter, after);
          }
          if (signal instanceof Signal.Lost loss && !lost) {
            after.add(mayBlock -> loss.told().run()); // Nobody counted on it.
          }
        });
  }

  // What is known.

  String name() {
    return name;
  }

  /** Returns the leases that callers of this node have on the name. */
  public List<HeldLease> leases() {
    List<HeldLease> leases = new ArrayList<>(1);
    return read(
        () -> {
          contenders.forEach(contender -> contender.addLeases(leases));
          return leases;
        });
  }

  /** Returns the lease under a claim of this node; null if there is none. */
  @Nullable HeldLease leaseOf(ClaimId claim) {
    for (HeldLease lease : leases()) {
      if (lease.claim().id.equals(claim)) {
        return lease;
      }
    }
    return null;
  }

  /** Tells whether anybody of this node holds what such a request asks for. */
  boolean isHeldAs(Request request) {
    return read(() -> contenders.stream().anyMatch(contender -> contender.isHeldAs(request)));
  }

  /** Returns how many callers of this node stand in line. */
  int waiting() {
    return read(() -> contenders.stream().mapToInt(Contender::waiting).sum());
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  public long storeMicros(long nanos) {
    return read(
        () ->
            contenders.stream()
                .mapToLong(contender -> contender.pool().storeMicros(nanos))
                .filter(micros -> micros != 0)
                .findFirst()
                .orElse(0));
  }

  // Inside.

  /** Does something that may happen inside a call to the store, which is part of {@code outer}. */
  void lockedWithin(Afterwards outer, Consumer<Afterwards> action) {
    locked(outer.isRunningHere() ? outer.nested() : new Afterwards(false), action);
  }

  private void locked(boolean mayBlock, Consumer<Afterwards> action) {
    locked(new Afterwards(mayBlock), action);
  }

  private void locked(Afterwards after, Consumer<Afterwards> action) {
    lock();
    try {
      action.accept(after);
      retireIfEmpty();
    } finally {
      unlock();
    }
    after.run();
  }

  private <T extends @Nullable Object> T decide(boolean mayBlock, Function<Afterwards, T> action) {
    Afterwards after = new Afterwards(mayBlock);
    T decided;
    lock();
    try {
      decided = action.apply(after);
      retireIfEmpty();
    } finally {
      unlock();
    }
    after.run();
    return decided;
  }

  private <T> T read(Supplier<T> known) {
    lock();
    try {
      return known.get();
    } finally {
      unlock();
    }
  }

  private void retireIfEmpty() {
    for (Contender contender : contenders) {
      if (contender.isEmpty()) {
        contenders = Few.without(contenders, contender);
      }
    }
    if (contenders.isEmpty() && !retired) {
      retired = true;
      engine.forget(name, this);
    }
  }

  @Override
  public String toString() {
    return "queue of " + Names.quote(name);
  }
}
