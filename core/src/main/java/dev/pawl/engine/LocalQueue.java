package dev.pawl.engine;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * All that this node has to do with one name: a {@link Contender} for each kind of claim that its
 * callers want, behind one lock. It is made by the first caller and goes with the last (I10).
 *
 * <p>The lock is held for a few instructions and never across a call to the store or to the user:
 * such calls are collected and made afterwards, in the thread that caused them.
 */
final class LocalQueue {

  private final ReentrantLock lock = new ReentrantLock();
  private final Engine engine;
  private final String name;

  /** Few, and a new list for each change. */
  private List<Contender> contenders = List.of();

  private boolean retired;

  LocalQueue(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  // Callers.

  /** Puts a caller in line; false if this queue has ended, and the next one is to be asked. */
  boolean join(Waiter waiter, boolean mayBlock) {
    Afterwards after = new Afterwards(mayBlock);
    lock.lock();
    try {
      if (retired) {
        return false;
      }
      waiter.queue = this;
      if (engine.isClosed()) {
        after.add(unused -> waiter.outcome.complete(new Outcome.Failed(engine::closedException)));
      } else {
        contenderFor(waiter.request).join(waiter, after);
      }
      retireIfEmpty();
    } finally {
      lock.unlock();
    }
    after.run();
    return true;
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
  boolean leave(Waiter waiter, Outcome outcome, long partingNanos) {
    return decide(
        after -> {
          for (Contender contender : contenders) {
            if (contender.leave(waiter, outcome, partingNanos, after)) {
              return true;
            }
          }
          return false;
        });
  }

  /** Ends a caller's wait because its time is up. */
  void timeOut(Waiter waiter) {
    locked(false, after -> contenders.forEach(contender -> contender.timeOut(waiter, after)));
  }

  // Leases.

  /** Gives up a lease; returns the store's answer if there is one to wait for. */
  @Nullable Ending<ReleaseReply> release(HeldLease lease, boolean mayBlock) {
    Afterwards after = new Afterwards(mayBlock);
    Ending<ReleaseReply> ending = null;
    lock.lock();
    try {
      if (isCurrent(lease)) {
        ending = lease.claim().contender.release(lease, after);
        retireIfEmpty();
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return ending;
  }

  /**
   * Gives up the lease of a job whose tick is done, and keeps the name for a while; null if it had
   * been lost or closed before.
   */
  @Nullable Ending<TickEnd.Result> finish(
      HeldLease lease, long mark, long keepMarkMicros, long keepNameMicros) {
    Afterwards after = new Afterwards(true);
    Ending<TickEnd.Result> ending = null;
    lock.lock();
    try {
      if (isCurrent(lease)) {
        ending = lease.claim().contender.finish(lease, mark, keepMarkMicros, keepNameMicros, after);
        retireIfEmpty();
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return ending;
  }

  /**
   * Ends a lease and keeps its name until then, for nobody; false if it had been lost or closed.
   */
  boolean keep(HeldLease lease, long untilNanos) {
    return decide(
        after -> isCurrent(lease) && lease.claim().contender.keep(lease, untilNanos, after));
  }

  /** Returns a renewal of a lease, for that many microseconds if that is more than usual. */
  Command.Renew renewal(HeldLease lease, long leaseMicros) {
    lock.lock();
    try {
      return lease.claim().contender.renewal(lease.claim(), leaseMicros);
    } finally {
      lock.unlock();
    }
  }

  /** Takes a lease away from its holder in this node. */
  void expire(HeldLease lease, String reason) {
    locked(
        false,
        after -> {
          if (isCurrent(lease)) {
            lease.claim().contender.expire(lease, reason, after);
          }
        });
  }

  /** Turns a held exclusive claim into a shared one. */
  void downgrade(HeldLease lease) {
    locked(
        true,
        after -> {
          if (isCurrent(lease)) { // Else it was lost meanwhile, which its owner will find out.
            Claim claim = lease.claim();
            Request shared = Request.shared(name, claim.request.options());
            claim.contender.downgrade(claim, contenderFor(shared), after);
          }
        });
  }

  /** Tells, once, that a lease had been lost before it was closed. */
  boolean reportLoss(HeldLease lease) {
    return decide(after -> lease.reportLoss());
  }

  void onLostRun(HeldLease lease, Runnable action) {
    if (!decide(after -> lease.addOnLost(action))) {
      engine.events().runLoss(action);
    }
  }

  /** Has the store told what has changed about the thread behind a lease. */
  void tellNow(HeldLease lease) {
    locked(
        false,
        after -> {
          if (isCurrent(lease)) {
            Claim claim = lease.claim();
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

  void onTimer(Claim claim, long now, RenewalBatch batch) {
    locked(false, after -> claim.contender.onTimer(claim, now, batch, after));
  }

  void onRenewed(
      Claim claim, RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error) {
    locked(false, after -> claim.contender.onRenewed(claim, call, reply, error, after));
  }

  /** Passes a signal on to the claim of that number; if it is negative, to all that ask or wait. */
  void onSignal(Signal signal, long counter) {
    locked(
        false,
        after -> contenders.forEach(contender -> contender.onSignal(signal, counter, after)));
  }

  // What is known.

  /** Returns the leases that callers of this node have on the name. */
  List<HeldLease> leases() {
    List<HeldLease> leases = new ArrayList<>(1);
    lock.lock();
    try {
      contenders.forEach(contender -> contender.addLeases(leases));
    } finally {
      lock.unlock();
    }
    return leases;
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
    lock.lock();
    try {
      return contenders.stream().anyMatch(contender -> contender.isHeldAs(request));
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many callers of this node stand in line. */
  int waiting() {
    lock.lock();
    try {
      return contenders.stream().mapToInt(Contender::waiting).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    lock.lock();
    try {
      return contenders.stream()
          .mapToLong(contender -> contender.storeMicros(nanos))
          .filter(micros -> micros != 0)
          .findFirst()
          .orElse(0);
    } finally {
      lock.unlock();
    }
  }

  // Inside.

  /** Something that is done with the lock held. */
  interface Turn {
    void take(Afterwards after);
  }

  /** Does something that may happen inside a call to the store, which is part of {@code outer}. */
  void lockedWithin(Afterwards outer, Turn turn) {
    locked(outer.isRunningHere() ? outer.nested() : new Afterwards(false), turn);
  }

  private void locked(boolean mayBlock, Turn turn) {
    locked(new Afterwards(mayBlock), turn);
  }

  private void locked(Afterwards after, Turn turn) {
    lock.lock();
    try {
      turn.take(after);
      retireIfEmpty();
    } finally {
      lock.unlock();
    }
    after.run();
  }

  private boolean decide(Predicate<Afterwards> turn) {
    Afterwards after = new Afterwards(false);
    boolean decided;
    lock.lock();
    try {
      decided = turn.test(after);
      retireIfEmpty();
    } finally {
      lock.unlock();
    }
    after.run();
    return decided;
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
