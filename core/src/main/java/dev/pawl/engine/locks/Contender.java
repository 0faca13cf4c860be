package dev.pawl.engine.locks;

import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.claims.Verdict;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Pace;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * This node's part in the contest for one name with one kind of claim: the line of its callers, and
 * the claims by which it asks for them.
 *
 * <h2>How an exclusive line moves</h2>
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
 *   <li><b>release</b>: nobody stands in line. The claim ends.
 * </ul>
 *
 * <h2>How a line of readers, or of a semaphore's callers, moves</h2>
 *
 * Each lease has a claim of its own, but the node stands in the store's queue only once: while one
 * claim waits there, those behind it wait here. As long as the store grants at once, claims are
 * asked for side by side, twice as many after each such grant, up to {@link ClaimPool#MOST_ASKING};
 * the first that has to wait sets that back to one.
 *
 * <p>A grant that is lost takes only its holder along; the line gets a new claim. A claim that
 * nobody stands in line for any more is cancelled, whatever became of it meanwhile: the store
 * undoes what it finds, so there is no race between a timeout and a grant.
 *
 * <p>A claim with a mark, of a job's run, has a contender and a line of its own.
 *
 * <p>It hears the callers and the events of claims. The claims themselves are in its {@link
 * ClaimPool}; what becomes of their grants is decided by {@link HandOver}.
 *
 * <p>Everything here is guarded by the lock of the {@link LocalQueue}. What calls the store or the
 * user is collected in {@link Afterwards}, and done when the lock has been given back.
 */
final class Contender {

  private final Engine engine;
  private final LocalQueue queue;

  /** What the claims ask for; where it is exclusive, the callers' options may differ. */
  private final Request kind;

  private final CallerLine line;
  private final ClaimPool pool;

  Contender(Engine engine, LocalQueue queue, Request kind) {
    this.engine = engine;
    this.queue = queue;
    this.kind = kind;
    this.line = new CallerLine(engine);
    this.pool = new ClaimPool(this);
  }

  /** Tells whether a caller with that request stands in this line. */
  boolean serves(Request request) {
    return kind.isExclusive()
        ? request.isExclusive()
        : kind.mark().isEmpty() && kind.equals(request);
  }

  boolean isEmpty() {
    return pool.isEmpty() && line.isEmpty();
  }

  // Callers.

  void join(Caller caller, Afterwards after) {
    HeldLease own = caller.isImmediate() ? null : queue.ownLeaseBefore(caller);
    if (caller.isImmediate() && isRefusalCertain()) {
      line.end(caller, refused(caller), after);
    } else if (own != null) {
      line.end(caller, new CallResult.Failed(() -> Refusals.waitsForItself(own)), after);
    } else {
      caller.stoodBehind = !line.isEmpty() || pool.onlyHeld() != null;
      line.add(caller);
      pool.askForMore(after);
    }
  }

  /** Tells whether the store would refuse a caller who comes now, as far as is certain (I11). */
  private boolean isRefusalCertain() {
    long now = engine.now();
    for (LocalClaim claim : pool.open()) {
      if (claim.isHeldUp() && !claim.isInDoubt(now)) {
        return true;
      }
    }
    LocalClaim held = pool.onlyHeld();
    return held != null && held.isCertainAt(now);
  }

  /**
   * Returns a lease of a caller's own thread for which it would wait, and which does not end by
   * itself in time: any if it wants everything, an exclusive one whatever it wants.
   */
  @Nullable HeldLease ownLeaseBefore(Caller caller) {
    if (caller.thread != null && (kind.isExclusive() || caller.request.isExclusive())) {
      for (LocalClaim claim : pool.held()) {
        HeldLease lease = claim.lease;
        if (lease != null
            && lease.owner == caller.thread
            && lease.isHeld()
            && !lease.endsWithin(caller.waitNanos)) {
          return lease;
        }
      }
    }
    return null;
  }

  /**
   * Takes a caller out of the line; false if its call has ended already.
   *
   * @param partingNanos how long the call waits at most for the store to let go of its claim
   */
  boolean leave(Caller caller, CallResult result, long partingNanos, Afterwards after) {
    boolean left = line.remove(caller);
    if (left) {
      part(caller, result, partingNanos, after);
    }
    return left;
  }

  /** Ends a caller's wait: as refused, or as failed if nobody knows who holds the name (I11). */
  void timeOut(Caller caller, Afterwards after) {
    if (!line.contains(caller)) {
      return;
    }
    LocalClaim first = pool.firstOpen();
    if (first != null && first.mayBeAnswered() && !caller.overdue) {
      line.giveTimeForAnAnswer(caller);
    } else {
      line.remove(caller);
      part(caller, timedOut(caller), Pace.PARTING_NANOS, after);
    }
  }

  private void part(Caller caller, CallResult end, long partingNanos, Afterwards after) {
    Ending<CancelReply> cancel = pool.cancelUnwanted(after);
    if (cancel == null || end instanceof CallResult.Failed) {
      line.end(caller, end, after);
      return;
    }
    // So that nobody is kept out by a claim of somebody who has been told that he has none.
    caller.parting = end;
    engine.timers().set(caller, engine.now() + partingNanos);
    after.add(
        mayBlock ->
            engine
                .link()
                .whenDone(
                    cancel.answer(),
                    (reply, error) -> {
                      engine.timers().cancel(caller);
                      caller.outcome.complete(end);
                    }));
  }

  /** Ends the calls that waited for nothing but an answer of the store. */
  void endOverdue(Afterwards after) {
    line.endOverdue(this::timedOut, after);
  }

  private CallResult timedOut(Caller caller) {
    LocalClaim first = pool.firstOpen();
    return first != null && first.isInDoubt(engine.now())
        ? Refusals.failure(engine, caller, first, first.failure(engine.store().describe()))
        : refused(caller);
  }

  private CallResult.Refused refused(Caller caller) {
    return Refusals.refused(engine, caller, pool.onlyHeld(), pool.firstOpen(), line.size());
  }

  /** Ends everything: the line is refused, the grants are given up. */
  void close(Afterwards after) {
    line.endAll(caller -> new CallResult.Failed(engine::closedException), after);
    for (LocalClaim claim : List.copyOf(pool.held())) {
      engine.handOver().close(claim, after);
    }
    pool.cancelUnwanted(after);
  }

  /** Lets a held exclusive claim go on as a shared one, in that one's line. */
  void downgrade(LocalClaim claim, Contender readers, Afterwards after) {
    pool.removeHeld(claim);
    readers.pool.addHeld(claim);
    claim.contender = readers;
    claim.downgrade(engine.now());
    engine.timers().set(claim, claim.wakeNanos());
    pool.askForMore(after);
  }

  // Events of a claim.

  void onAnswer(
      LocalClaim claim,
      long sentAt,
      @Nullable AcquireReply reply,
      @Nullable Throwable error,
      Afterwards after) {
    long now = engine.now();
    act(
        claim,
        reply == null
            ? claim.onFailure(error == null ? new IllegalStateException("no answer") : error, now)
            : claim.onAnswer(sentAt, reply, now),
        after);
  }

  void onTimer(LocalClaim claim, long now, Afterwards after) {
    HeldLease lease = claim.lease;
    if (claim.state() == Claim.State.KEPT) {
      engine.handOver().onKept(claim, now, after);
      return;
    }
    if (lease != null
        && claim.isHeldAt(now)
        && engine.handOver().endIfAbandoned(lease, now, after)) {
      return;
    }
    claim.onLineMoved(engine.link().lineMovedNanos());
    Verdict verdict = claim.onTimer(now);
    act(claim, verdict, after);
    Command.Renew renewal =
        verdict instanceof Verdict.Renew ? claim.renewCommand(actorOf(claim)) : null;
    if (renewal != null) {
      engine.keeper().add(claim, renewal);
    }
  }

  void onRenewed(
      LocalClaim claim,
      RenewalCall call,
      @Nullable RenewReply reply,
      @Nullable Throwable error,
      Afterwards after) {
    long now = engine.now();
    act(claim, claim.onRenewed(call.madeNanos(), call.sentNanos(), reply, error, now), after);
  }

  /** Tells the claims that the signal is about; returns whether one of them is lost by it. */
  boolean onSignal(Signal signal, long counter, Afterwards after) {
    boolean lost = false;
    for (LocalClaim claim : pool.matching(counter)) {
      Verdict verdict = claim.onSignal(signal, engine.now());
      lost |= verdict instanceof Verdict.Lost;
      act(claim, verdict, after);
    }
    return lost;
  }

  private void act(LocalClaim claim, Verdict verdict, Afterwards after) {
    if (verdict instanceof Verdict.Ask) {
      pool.ask(claim, after);
    } else if (verdict instanceof Verdict.Granted granted) {
      engine.handOver().onGranted(claim, granted.atOnce(), after);
    } else if (verdict instanceof Verdict.Waiting) {
      onWaiting(after);
    } else if (verdict instanceof Verdict.Busy busy) {
      onBusy(claim, busy.askAgain(), after);
    } else if (verdict instanceof Verdict.Done done) {
      end(claim, after);
      line.endAll(caller -> new CallResult.Done(done.mark()), after);
      pool.cancelUnwanted(after);
    } else if (verdict instanceof Verdict.Lost lost) {
      engine.handOver().onLost(claim, lost, after);
    } else if (verdict instanceof Verdict.Forgotten) {
      onForgotten(claim, after);
    } else if (verdict instanceof Verdict.Failed failed) {
      line.endAll(caller -> Refusals.failure(engine, caller, claim, failed.error()), after);
      pool.cancelUnwanted(after);
    }
    if (claim.state() != Claim.State.ENDED) {
      engine.timers().set(claim, claim.wakeNanos());
    }
  }

  private void onWaiting(Afterwards after) {
    pool.onHeldUp();
    endOverdue(after);
    pool.cancelUnwanted(after);
    pool.cancelAllButOneThatWaits(after);
  }

  private void onBusy(LocalClaim claim, boolean askAgain, Afterwards after) {
    pool.onHeldUp();
    endOverdue(after);
    if (!pool.isWanted() && !claim.isAnswerOutstanding()) {
      pool.end(claim); // The store has forgotten it.
    } else if (askAgain && pool.isWanted()) {
      pool.ask(claim, after);
    }
    pool.cancelUnwanted(after);
  }

  /** The store has forgotten a claim that waited: the line gets a new one. */
  private void onForgotten(LocalClaim claim, Afterwards after) {
    end(claim, after);
    pool.askForMore(after);
  }

  /**
   * The store has no such claim; a copy of its acquire that is still under way must take nothing.
   */
  private void end(LocalClaim claim, Afterwards after) {
    pool.end(claim);
    if (claim.isAnswerOutstanding()) {
      after.add(engine.ending(claim.cancelCommand(), claim)::send);
    }
  }

  // What is known.

  /** Returns what the store is told about the thread behind a claim. */
  String actorOf(LocalClaim claim) {
    HeldLease lease = claim.lease;
    Caller first = line.first();
    Thread thread = lease != null ? lease.owner : first != null ? first.thread : null;
    return engine.actor(thread);
  }

  boolean isHeldAs(Request request) {
    return kind.permits() == request.permits()
        && kind.capacity() == request.capacity()
        && kind.mark().isEmpty()
        && pool.held().stream().anyMatch(claim -> claim.lease != null && claim.lease.isHeld());
  }

  void addLeases(List<HeldLease> leases) {
    for (LocalClaim claim : pool.held()) {
      HeldLease lease = claim.lease;
      if (lease != null) {
        leases.add(lease);
      }
    }
  }

  int waiting() {
    return line.size();
  }

  Engine engine() {
    return engine;
  }

  LocalQueue queue() {
    return queue;
  }

  Request kind() {
    return kind;
  }

  CallerLine line() {
    return line;
  }

  ClaimPool pool() {
    return pool;
  }
}
