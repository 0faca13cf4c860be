package dev.pawl.engine;

import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The line of this node's callers for one name, behind the one claim by which the node contends in
 * the store.
 *
 * <h2>How it moves</h2>
 *
 * The first caller makes a claim and has it asked for. Those who come after stand in line and cost
 * the store nothing. When the claim is granted, the head of the line gets the lease. When that
 * lease is closed, there are three ways on:
 *
 * <ul>
 *   <li><b>pass</b>: the next in line gets the same grant, with the grant's next token. No round
 *       trip. Only within the budget of I7: while the grant has tokens left (its span is the number
 *       of passes and one), and for {@link Pace#PASS_NANOS} after the grant. Beyond it, other nodes
 *       would wait for a node whose threads never stop coming.
 *   <li><b>yield</b>: the budget is spent. The claim is released, and a new one goes to the end of
 *       the store's queue, in one round trip. If no other node waits, it is granted in the same
 *       answer.
 *   <li><b>release</b>: nobody stands in line. The claim ends, and this queue with it (I10).
 * </ul>
 *
 * A grant that is lost takes only its holder along; the line gets a new claim. A claim that nobody
 * stands in line for any more is cancelled, whatever became of it meanwhile: the store undoes what
 * it finds, so there is no race between a time-out and a grant.
 *
 * <p>Shared claims, semaphore claims and claims with a mark have a queue of their own each, with a
 * line of one.
 *
 * <h2>What guards it</h2>
 *
 * The lock guards the line, the claim and the holder. It is held for a few instructions and never
 * across a call to the store or to the user: such calls are collected and made afterwards, in the
 * thread that caused them.
 */
final class LocalQueue {

  private final ReentrantLock lock = new ReentrantLock();
  private final Engine engine;

  /** Where signals find this queue; that of a single claim changes with the claim. */
  private QueueKey key;

  private final Line line;
  private @Nullable Claim claim;
  private @Nullable HeldLease holder;
  private boolean retired;

  LocalQueue(Engine engine, QueueKey key) {
    this.engine = engine;
    this.key = key;
    this.line = new Line(engine);
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
      HeldLease held = holder;
      if (engine.isClosed()) {
        line.end(waiter, new Outcome.Failed(engine::closedException), after);
        retireIfEmpty();
      } else if (claim == null) {
        line.add(waiter);
        makeClaim(waiter.request, null, after);
      } else if (waiter.isImmediate()) {
        line.end(waiter, refused(waiter), after);
      } else if (held != null && waiter.thread != null && held.owner == waiter.thread) {
        line.end(waiter, new Outcome.Failed(() -> Refusals.waitsForItself(held)), after);
      } else {
        line.add(waiter);
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return true;
  }

  /** Takes a caller out of the line; false if its call has ended already. */
  boolean leave(Waiter waiter, Outcome outcome) {
    Afterwards after = new Afterwards(false);
    boolean left;
    lock.lock();
    try {
      left = line.remove(waiter);
      if (left) {
        endClaimIfUnwanted(after);
        line.end(waiter, outcome, after);
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return left;
  }

  /** Ends a caller's wait: as refused, or as failed if nobody knows who holds the name (I11). */
  void timeOut(Waiter waiter) {
    locked(
        false,
        after -> {
          if (line.contains(waiter) && !awaitsFirstAnswer(waiter)) {
            line.remove(waiter);
            part(waiter, timedOut(waiter), after);
          }
        });
  }

  /** Gives a call whose time is up the time of any call, once, for the store's first answer. */
  private boolean awaitsFirstAnswer(Waiter waiter) {
    Claim at = claim;
    boolean unanswered = at != null && at.state == Claim.State.ASKING && !at.hasBeenAnswered();
    if (!unanswered || waiter.overdue) {
      return false;
    }
    waiter.overdue = true;
    engine.timers().set(waiter, waiter.endNanos() + engine.pace().responseNanos());
    return true;
  }

  private void part(Waiter waiter, Outcome end, Afterwards after) {
    Ending<CancelReply> cancel = endClaimIfUnwanted(after);
    if (cancel == null || end instanceof Outcome.Failed) {
      line.end(waiter, end, after);
      return;
    }
    // So that nobody is kept out by a claim of somebody who has been told that he has none.
    waiter.parting = end;
    engine.timers().set(waiter, engine.now() + Pace.PARTING_NANOS);
    after.add(
        mayBlock ->
            engine.whenDone(
                cancel.answer(),
                (reply, error) -> {
                  engine.timers().cancel(waiter);
                  waiter.outcome.complete(end);
                }));
  }

  private Outcome timedOut(Waiter waiter) {
    Claim at = claim;
    return at != null && at.state != Claim.State.HELD && at.isInDoubt()
        ? Refusals.failure(engine, waiter, at, at.failure())
        : refused(waiter);
  }

  /** Gives up a lease; returns the store's answer if there is one to wait for. */
  @Nullable Ending<ReleaseReply> release(HeldLease lease, boolean mayBlock) {
    Afterwards after = new Afterwards(mayBlock);
    Ending<ReleaseReply> ending = null;
    boolean moved;
    lock.lock();
    try {
      moved = lease.claim().queue != this;
      if (lease == holder) {
        ending = release(lease, after);
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return moved ? lease.claim().queue.release(lease, mayBlock) : ending;
  }

  /**
   * Gives up the lease of a job whose tick is done, and keeps the name for a while; null if it had
   * been lost or closed before. Nobody else stands in the line of a claim with a mark.
   */
  @Nullable Ending<Boolean> finish(HeldLease lease, long mark, long keepMicros) {
    Afterwards after = new Afterwards(true);
    Ending<Boolean> ending = null;
    lock.lock();
    try {
      if (lease == holder) {
        Claim at = lease.claim();
        if (at.isHeldAt(engine.now())) {
          lease.state = HeldLease.State.CLOSED;
          holder = null;
          at.over();
          claim = null;
          retireIfEmpty();
          after.add(mayBlock -> engine.events().released(lease));
          ending = engine.ending(at.release(OptionalLong.of(mark)), at.request, keepMicros);
          after.add(ending::send);
        } else {
          onLost("it could not be renewed in time", true, after);
        }
      }
    } finally {
      lock.unlock();
    }
    after.run();
    return ending;
  }

  /** Takes a lease away from its holder in this node. */
  void expire(HeldLease lease, String reason) {
    locked(
        false,
        after -> {
          if (lease == holder) {
            onLost(reason, true, after);
          }
        });
  }

  /** Tells, once, that a lease had been lost before it was closed. */
  boolean reportLoss(HeldLease lease) {
    lock.lock();
    try {
      return lease.reportLoss();
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Ending<ReleaseReply> release(HeldLease lease, Afterwards after) {
    Claim at = lease.claim();
    long now = engine.now();
    if (!at.isHeldAt(now)) {
      onLost("it could not be renewed in time", true, after);
      return null;
    }
    lease.state = HeldLease.State.CLOSED;
    holder = null;
    after.add(mayBlock -> engine.events().released(lease));
    Waiter next = line.first();
    if (next == null) {
      return endGrant(at, after);
    }
    if (at.request.canPassTo(next.request)
        && at.hasTokens()
        && now - at.grantedNanos <= Pace.PASS_NANOS) {
      line.remove(next);
      give(next, at, true, after);
    } else {
      at.over();
      makeClaim(next.request, at, after);
    }
    return null;
  }

  /** Turns a held exclusive claim into a shared one, which goes on in a queue of its own. */
  void downgrade(HeldLease lease) {
    locked(
        true,
        after -> {
          if (lease == holder) { // Else it was lost meanwhile, which its owner will find out.
            moveOut(lease);
            claimForNext(after);
            retireIfEmpty();
          }
        });
  }

  private void moveOut(HeldLease lease) {
    Claim at = lease.claim();
    LocalQueue own = new LocalQueue(engine, new QueueKey(key.name(), at.id.counter()));
    own.claim = at;
    own.holder = lease;
    holder = null;
    claim = null;
    at.permits = 1;
    at.queue = own;
    engine.add(own.key, own);
    at.renewNow();
  }

  void onLostRun(HeldLease lease, Runnable action) {
    boolean now;
    lock.lock();
    try {
      now = !lease.addOnLost(action);
    } finally {
      lock.unlock();
    }
    if (now) {
      engine.events().runLoss(action);
    }
  }

  /** Ends everything: the line is refused, the grant is given up. */
  void close() {
    locked(
        false,
        after -> {
          line.endAll(waiter -> new Outcome.Failed(engine::closedException), after);
          HeldLease held = holder;
          if (held != null) {
            release(held, after);
            after.add(mayBlock -> held.interruptWork());
          }
          endClaimIfUnwanted(after);
        });
  }

  // What the claim finds out; it calls these with the lock held.

  void ask(Claim at, Afterwards after) {
    at.ask(actor(), line.wouldWait(), after);
  }

  void onWaiting(Afterwards after) {
    line.endOverdue(this::timedOut, after);
    endClaimIfUnwanted(after);
  }

  void onBusy(boolean askAgain, Afterwards after) {
    line.endOverdue(this::timedOut, after);
    Claim at = held();
    if (!line.isEmpty()) {
      if (askAgain) {
        ask(at, after);
      }
    } else if (at.isAnswerOutstanding()) {
      endClaimIfUnwanted(after);
    } else {
      at.over(); // The store has forgotten it.
      claim = null;
      retireIfEmpty();
    }
  }

  void onDone(long mark, Afterwards after) {
    claim = null;
    line.endAll(waiter -> new Outcome.Done(mark), after);
    retireIfEmpty();
  }

  void onGranted(Afterwards after) {
    Claim at = held();
    Waiter next = line.first();
    if (next == null) {
      endGrant(at, after);
    } else if (at.request.canPassTo(next.request)) {
      line.remove(next);
      give(next, at, false, after);
    } else {
      at.over();
      makeClaim(next.request, at, after);
    }
  }

  void onLost(String reason, boolean mayStillHold, Afterwards after) {
    Claim at = held();
    HeldLease lease = holder;
    holder = null;
    claim = null;
    at.over();
    if (mayStillHold || at.isAnswerOutstanding()) {
      after.add(engine.ending(at.release(), at.request)::send);
    }
    if (lease != null) {
      List<Runnable> callbacks = lease.lose(reason);
      after.add(mayBlock -> lease.interruptWork());
      after.add(mayBlock -> engine.events().lost(lease, reason, callbacks));
    }
    claimForNext(after);
    retireIfEmpty();
  }

  /** The store has forgotten a claim that waited: the line gets a new one. */
  void onForgotten(Afterwards after) {
    Claim at = held();
    at.over();
    claim = null;
    if (at.isAnswerOutstanding()) {
      after.add(engine.ending(at.cancel(), at.request)::send);
    }
    claimForNext(after);
    retireIfEmpty();
  }

  void onFailed(@Nullable Throwable error, Afterwards after) {
    Claim at = held();
    line.endAll(waiter -> Refusals.failure(engine, waiter, at, error), after);
    endClaimIfUnwanted(after);
  }

  boolean isOwnerDead() {
    HeldLease held = holder;
    return held != null && held.threadOwned && held.owner != null && !held.owner.isAlive();
  }

  void onOwnerDead(Afterwards after) {
    HeldLease held = holder;
    if (held != null) {
      engine.events().ownerDied(held);
      engine.holds().forget(held);
      release(held, after);
    }
  }

  // What reaches the claim from outside.

  void onSignal(Signal signal, long counter) {
    Claim at;
    lock.lock();
    try {
      at = claim;
    } finally {
      lock.unlock();
    }
    if (at != null && (counter < 0 || at.id.counter() == counter)) {
      turn(at, after -> at.onSignal(signal, after));
    }
  }

  /** Lets a claim take its turn, with the lock of the queue in which it is. */
  void turn(Claim at, Turn turn) {
    locked(
        false,
        after -> {
          if (at.queue == this) {
            turn.take(after);
          } else {
            after.add(mayBlock -> at.queue.turn(at, turn));
          }
        });
  }

  // Inside.

  /** Something that is done with the lock held. */
  interface Turn {
    void take(Afterwards after);
  }

  private void locked(boolean mayBlock, Turn turn) {
    Afterwards after = new Afterwards(mayBlock);
    lock.lock();
    try {
      turn.take(after);
    } finally {
      lock.unlock();
    }
    after.run();
  }

  private void claimForNext(Afterwards after) {
    Waiter next = line.first();
    if (next != null) {
      makeClaim(next.request, null, after);
    }
  }

  private void makeClaim(Request request, @Nullable Claim predecessor, Afterwards after) {
    Claim made =
        new Claim(engine, this, request, predecessor == null ? null : predecessor.release());
    claim = made;
    if (key.isSolo()) {
      QueueKey before = key;
      key = new QueueKey(key.name(), made.id.counter());
      engine.add(key, this); // First, so that a close finds it under one of the two.
      engine.forget(before, this);
    }
    ask(made, after);
  }

  private void give(Waiter waiter, Claim at, boolean passed, Afterwards after) {
    long since = passed ? engine.now() : at.grantedNanos;
    HeldLease lease = new HeldLease(engine, at, ++at.usedToken, waiter, since);
    holder = lease;
    after.add(mayBlock -> engine.events().acquired(waiter, lease, passed));
    line.end(waiter, new Outcome.Held(lease), after);
    line.endOverdue(this::timedOut, after);
  }

  private Ending<ReleaseReply> endGrant(Claim at, Afterwards after) {
    at.over();
    claim = null;
    retireIfEmpty();
    Ending<ReleaseReply> ending = engine.ending(at.release(), at.request);
    after.add(ending::send);
    return ending;
  }

  /** Cancels a claim that nobody stands in line for; returns the cancel if it is under way. */
  private @Nullable Ending<CancelReply> endClaimIfUnwanted(Afterwards after) {
    Ending<CancelReply> cancel = null;
    Claim at = claim;
    if (at != null && line.isEmpty() && holder == null && at.state != Claim.State.OVER) {
      at.over();
      claim = null;
      Command.Release before = at.unansweredPredecessor();
      if (before != null) {
        after.add(engine.ending(before, at.request)::send);
      }
      cancel = engine.ending(at.cancel(), at.request);
      after.add(cancel::send);
    }
    retireIfEmpty();
    return cancel;
  }

  private void retireIfEmpty() {
    if (claim == null && line.isEmpty() && !retired) {
      retired = true;
      engine.forget(key, this);
    }
  }

  private Claim held() {
    Claim at = claim;
    if (at == null) {
      throw new IllegalStateException("no claim for " + key);
    }
    return at;
  }

  /** Returns what the store is told about the thread behind the claim. */
  String actor() {
    HeldLease held = holder;
    Waiter first = line.first();
    Thread thread = held != null ? held.owner : first != null ? first.thread : null;
    return engine.actor(thread);
  }

  private Outcome.Refused refused(Waiter waiter) {
    Claim at = claim;
    return new Outcome.Refused(refusal(waiter), at == null ? null : at.contention());
  }

  private Supplier<String> refusal(Waiter waiter) {
    HeldLease held = holder;
    Claim at = claim;
    int here = line.size();
    return held != null
        ? Refusals.heldHere(engine, waiter, held, here)
        : Refusals.heldElsewhere(
            engine,
            waiter,
            at == null ? null : at.contention(),
            at == null ? 0 : at.silenceNanos());
  }

  /** Has the store told what has changed about the thread behind the claim. */
  void renewNow() {
    lock.lock();
    try {
      if (claim != null) {
        claim.renewNow();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    lock.lock();
    try {
      return claim == null ? 0 : claim.storeMicros(nanos);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the holder's lease, for the wait-for graph. */
  @Nullable HeldLease holder() {
    lock.lock();
    try {
      return holder;
    } finally {
      lock.unlock();
    }
  }
}
