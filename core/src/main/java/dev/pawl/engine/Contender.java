package dev.pawl.engine;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
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
 * asked for side by side, twice as many after each such grant, up to {@link #MOST_ASKING}; the
 * first that has to wait sets that back to one.
 *
 * <p>A grant that is lost takes only its holder along; the line gets a new claim. A claim that
 * nobody stands in line for any more is cancelled, whatever became of it meanwhile: the store
 * undoes what it finds, so there is no race between a time-out and a grant.
 *
 * <p>A claim with a mark, of a job's run, has a contender and a line of its own.
 *
 * <p>Everything here is guarded by the lock of the {@link LocalQueue}. What calls the store or the
 * user is collected in {@link Afterwards}, and done when the lock has been given back.
 */
final class Contender {

  /** How many claims of one kind are asked for at a time. */
  static final int MOST_ASKING = 16;

  private final Engine engine;
  private final LocalQueue queue;

  /** What the claims ask for; where it is exclusive, the callers' options may differ. */
  private final Request kind;

  private final Line line;

  /** The claims that ask or wait, the oldest first: few, and a new list for each change. */
  private List<Claim> open = List.of();

  /** The claims that hold the name; of an exclusive kind, one. */
  private final List<Claim> held = new ArrayList<>(1);

  private int window = 1;

  Contender(Engine engine, LocalQueue queue, Request kind) {
    this.engine = engine;
    this.queue = queue;
    this.kind = kind;
    this.line = new Line(engine);
  }

  LocalQueue queue() {
    return queue;
  }

  /** Tells whether a caller with that request stands in this line. */
  boolean serves(Request request) {
    return kind.isExclusive()
        ? request.isExclusive()
        : kind.mark().isEmpty() && kind.equals(request);
  }

  boolean isEmpty() {
    return open.isEmpty() && held.isEmpty() && line.isEmpty();
  }

  // Callers.

  void join(Waiter waiter, Afterwards after) {
    HeldLease own = leaseOf(waiter.thread);
    if (waiter.isImmediate() && isRefusalCertain()) {
      line.end(waiter, refused(waiter), after);
    } else if (own != null && !waiter.isImmediate() && !own.endsWithin(waiter.waitNanos)) {
      line.end(waiter, new Outcome.Failed(() -> Refusals.waitsForItself(own)), after);
    } else {
      line.add(waiter);
      askForMore(after);
    }
  }

  /** Tells whether the store would refuse a caller who comes now, as far as is certain (I11). */
  private boolean isRefusalCertain() {
    long now = engine.now();
    for (Claim claim : open) {
      if (claim.isHeldUp() && !claim.isInDoubt(now)) {
        return true;
      }
    }
    return isAlone() && !held.isEmpty() && held.get(0).isCertainAt(now);
  }

  /** Returns the lease for which a thread would wait if it waited for an exclusive one. */
  private @Nullable HeldLease leaseOf(@Nullable Thread thread) {
    HeldLease lease = kind.isExclusive() && !held.isEmpty() ? held.get(0).lease : null;
    return lease != null && thread != null && lease.owner == thread ? lease : null;
  }

  /**
   * Takes a caller out of the line; false if its call has ended already.
   *
   * @param partingNanos how long the call waits at most for the store to let go of its claim
   */
  boolean leave(Waiter waiter, Outcome outcome, long partingNanos, Afterwards after) {
    boolean left = line.remove(waiter);
    if (left) {
      part(waiter, outcome, partingNanos, after);
    }
    return left;
  }

  /** Ends a caller's wait: as refused, or as failed if nobody knows who holds the name (I11). */
  void timeOut(Waiter waiter, Afterwards after) {
    if (!line.contains(waiter)) {
      return;
    }
    Claim first = open.isEmpty() ? null : open.get(0);
    boolean unanswered =
        first != null && first.state() == Claim.State.ASKING && !first.hasBeenAnswered();
    if (unanswered && !waiter.overdue) {
      line.giveTimeForAnAnswer(waiter);
    } else {
      line.remove(waiter);
      part(waiter, timedOut(waiter), Pace.PARTING_NANOS, after);
    }
  }

  private void part(Waiter waiter, Outcome end, long partingNanos, Afterwards after) {
    Ending<CancelReply> cancel = cancelUnwanted(after);
    if (cancel == null || end instanceof Outcome.Failed) {
      line.end(waiter, end, after);
      return;
    }
    // So that nobody is kept out by a claim of somebody who has been told that he has none.
    waiter.parting = end;
    engine.timers().set(waiter, engine.now() + partingNanos);
    after.add(
        mayBlock ->
            engine.whenDone(
                cancel.answer(),
                (reply, error) -> {
                  engine.timers().cancel(waiter);
                  waiter.outcome.complete(end);
                }));
  }

  /** Gives up a lease; returns the store's answer if there is one to wait for. */
  @Nullable Ending<ReleaseReply> release(HeldLease lease, Afterwards after) {
    Claim claim = lease.claim();
    long now = engine.now();
    if (!claim.isHeldAt(now)) {
      onLost(claim, new Verdict.Lost(Claim.NOT_RENEWED, true), after);
      return null;
    }
    close(lease, after);
    Waiter next = isAlone() ? line.first() : null;
    if (next == null) {
      return endGrant(claim, after);
    }
    if (claim.request.canPassTo(next.request) && claim.mayPass(now)) {
      line.remove(next);
      give(next, claim, now, true, after);
    } else {
      yieldTo(next, claim, after);
    }
    return null;
  }

  /** Ends a lease and keeps its name until then, for nobody; false if it had been lost. */
  boolean keep(HeldLease lease, long untilNanos, Afterwards after) {
    Claim claim = lease.claim();
    if (!claim.isHeldAt(engine.now())) {
      onLost(claim, new Verdict.Lost(Claim.NOT_RENEWED, true), after);
      return false;
    }
    close(lease, after);
    claim.keepUntil(untilNanos);
    engine.timers().set(claim, untilNanos);
    return true;
  }

  /** Gives up a name that was kept for as long as it was to be. */
  private void onKept(Claim claim, long now, Afterwards after) {
    Waiter next = isAlone() ? line.first() : null;
    if (now - claim.wakeNanos() < 0) {
      engine.timers().set(claim, claim.wakeNanos());
    } else if (next == null) {
      endGrant(claim, after);
    } else {
      yieldTo(next, claim, after);
    }
  }

  private void close(HeldLease lease, Afterwards after) {
    lease.state = HeldLease.State.CLOSED;
    lease.claim().lease = null;
    after.add(mayBlock -> engine.events().released(lease));
  }

  /**
   * Gives up the lease of a job whose tick is done, and keeps the name for a while; null if it had
   * been lost before. Nobody else stands in the line of a claim with a mark.
   */
  @Nullable Ending<TickEnd.Result> finish(
      HeldLease lease, long mark, long keepMarkMicros, long keepNameMicros, Afterwards after) {
    Claim claim = lease.claim();
    if (!claim.isHeldAt(engine.now())) {
      onLost(claim, new Verdict.Lost(Claim.NOT_RENEWED, true), after);
      return null;
    }
    close(lease, after);
    end(claim);
    Ending<TickEnd.Result> ending =
        engine.ending(
            claim.release(OptionalLong.of(mark), keepMarkMicros),
            claim.request,
            keepNameMicros,
            claim.storeMicros(claim.deadlineNanos));
    after.add(ending::send);
    return ending;
  }

  /** Takes a lease away from its holder in this node. */
  void expire(HeldLease lease, String reason, Afterwards after) {
    onLost(lease.claim(), new Verdict.Lost(reason, true), after);
  }

  /** Lets a held exclusive claim go on as a shared one, in that one's line. */
  void downgrade(Claim claim, Contender readers, Afterwards after) {
    held.remove(claim);
    readers.held.add(claim);
    claim.contender = readers;
    claim.lowerPermits(1, engine.now());
    engine.timers().set(claim, claim.wakeNanos());
    askForMore(after);
  }

  /** Ends everything: the line is refused, the grants are given up. */
  void close(Afterwards after) {
    line.endAll(waiter -> new Outcome.Failed(engine::closedException), after);
    for (Claim claim : List.copyOf(held)) {
      HeldLease lease = claim.lease;
      if (lease != null) {
        List<Runnable> callbacks = lease.takeOnLost();
        release(lease, after);
        after.add(mayBlock -> lease.interruptWork());
        after.add(mayBlock -> callbacks.forEach(engine.events()::runLoss));
      } else {
        end(claim); // It is kept, and that is not to end with this node.
      }
    }
    cancelUnwanted(after);
  }

  // Events of a claim.

  private void onAnswer(
      Claim claim,
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

  void onTimer(Claim claim, long now, RenewalBatch batch, Afterwards after) {
    HeldLease lease = claim.lease;
    if (claim.state() == Claim.State.KEPT) {
      onKept(claim, now, after);
      return;
    }
    if (lease != null && claim.isHeldAt(now)) {
      if (lease.isOwnerDead()) {
        engine.events().ownerDied(lease);
        engine.holds().forget(lease);
        release(lease, after);
        return;
      }
      if (lease.isForgotten()) {
        expire(lease, "it was " + lease.taker() + " and forgotten: close() the handle", after);
        return;
      }
      if (lease.isHeldForLong(now)) {
        after.add(mayBlock -> engine.events().heldForLong(lease));
      }
    }
    Verdict verdict = claim.onTimer(now);
    act(claim, verdict, after);
    Command.Renew renewal = verdict instanceof Verdict.Renew ? claim.renewal(actorOf(claim)) : null;
    if (renewal != null) {
      batch.add(claim, renewal);
    }
  }

  void onRenewed(
      Claim claim,
      RenewalCall call,
      @Nullable RenewReply reply,
      @Nullable Throwable error,
      Afterwards after) {
    long now = engine.now();
    act(claim, claim.onRenewed(call.madeNanos(), call.sentNanos(), reply, error, now), after);
  }

  /** Tells the claims that the signal is about. */
  void onSignal(Signal signal, long counter, Afterwards after) {
    for (Claim claim : matching(counter)) {
      act(claim, claim.onSignal(signal, engine.now()), after);
    }
  }

  /** Returns the claim of that number; if it is negative, all those that ask or wait. */
  private List<Claim> matching(long counter) {
    if (counter < 0) {
      return open;
    }
    for (Claim claim : open) {
      if (claim.id.counter() == counter) {
        return List.of(claim);
      }
    }
    for (Claim claim : held) {
      if (claim.id.counter() == counter) {
        return List.of(claim);
      }
    }
    return List.of();
  }

  private void act(Claim claim, Verdict verdict, Afterwards after) {
    if (verdict instanceof Verdict.Ask) {
      ask(claim, after);
    } else if (verdict instanceof Verdict.Granted granted) {
      onGranted(claim, granted.atOnce(), after);
    } else if (verdict instanceof Verdict.Waiting) {
      onHeldUp(after);
    } else if (verdict instanceof Verdict.Busy busy) {
      onBusy(claim, busy.askAgain(), after);
    } else if (verdict instanceof Verdict.Done done) {
      end(claim);
      line.endAll(waiter -> new Outcome.Done(done.mark()), after);
      cancelUnwanted(after);
    } else if (verdict instanceof Verdict.Lost lost) {
      onLost(claim, lost, after);
    } else if (verdict instanceof Verdict.Forgotten) {
      onForgotten(claim, after);
    } else if (verdict instanceof Verdict.Failed failed) {
      line.endAll(waiter -> Refusals.failure(engine, waiter, claim, failed.error()), after);
      cancelUnwanted(after);
    }
    if (claim.state() != Claim.State.ENDED) {
      engine.timers().set(claim, claim.wakeNanos());
    }
  }

  private void onGranted(Claim claim, boolean atOnce, Afterwards after) {
    open = Few.without(open, claim);
    held.add(claim);
    if (atOnce) {
      window = Math.min(MOST_ASKING, 2 * window);
    }
    Waiter next = line.first();
    if (next == null) {
      endGrant(claim, after);
    } else if (claim.request.canPassTo(next.request)) {
      line.remove(next);
      give(next, claim, claim.grantedNanos(), false, after);
      askForMore(after);
    } else {
      yieldTo(next, claim, after);
    }
  }

  private void onHeldUp(Afterwards after) {
    window = 1;
    line.endOverdue(this::timedOut, after);
    cancelUnwanted(after);
    // Of those that were asked for side by side, one waits for all.
    open.stream()
        .filter(claim -> claim.state() == Claim.State.WAITING)
        .skip(1)
        .forEach(claim -> cancel(claim, after));
  }

  private void onBusy(Claim claim, boolean askAgain, Afterwards after) {
    window = 1;
    line.endOverdue(this::timedOut, after);
    if (open.size() > mostWanted() && !claim.isAnswerOutstanding()) {
      end(claim); // The store has forgotten it.
    } else if (askAgain && open.size() <= mostWanted()) {
      ask(claim, after);
    }
    cancelUnwanted(after);
  }

  private void onLost(Claim claim, Verdict.Lost lost, Afterwards after) {
    HeldLease lease = claim.lease;
    boolean planned = claim.hasRunOut(engine.now());
    claim.lease = null;
    end(claim);
    if (lost.mayStillHold() || claim.isAnswerOutstanding()) {
      after.add(engine.ending(claim.release(), claim.request)::send);
    }
    if (lease != null) {
      String reason = planned ? "its time is over, and it is not renewed" : lost.reason();
      List<Runnable> callbacks = lease.lose(reason);
      after.add(mayBlock -> lease.interruptWork());
      after.add(mayBlock -> engine.events().lost(lease, reason, planned, callbacks));
    }
    askForMore(after);
  }

  /** The store has forgotten a claim that waited: the line gets a new one. */
  private void onForgotten(Claim claim, Afterwards after) {
    end(claim);
    if (claim.isAnswerOutstanding()) {
      after.add(engine.ending(claim.cancel(), claim.request)::send);
    }
    askForMore(after);
  }

  // Claims.

  /** Asks for as many more claims as the line wants and the store is likely to grant. */
  private void askForMore(Afterwards after) {
    Waiter first = line.first();
    while (first != null && open.size() < mostWanted() && isRoomToAsk()) {
      makeClaim(isAlone() ? first.request : kind, null, after);
    }
  }

  private boolean isRoomToAsk() {
    if (isAlone()) {
      return open.isEmpty() && held.isEmpty();
    }
    for (Claim claim : open) {
      if (claim.isHeldUp()) {
        return false;
      }
    }
    return open.size() < window;
  }

  /** Tells whether there is one claim at a time: no second one could be granted. */
  private boolean isAlone() {
    return kind.isExclusive() || kind.mark().isPresent();
  }

  /** Returns how many claims may ask or wait without being there for nobody. */
  private int mostWanted() {
    return isAlone() ? Math.min(1, line.size()) : line.size();
  }

  private void makeClaim(Request request, Command.@Nullable Release predecessor, Afterwards after) {
    Claim claim = new Claim(engine.nextClaimId(), request, engine.pace(), this, predecessor);
    open = Few.with(open, claim);
    ask(claim, after);
  }

  private void ask(Claim claim, Afterwards after) {
    long sentAt = engine.now();
    Command.Acquire acquire = claim.ask(engine.label(), actorOf(claim), line.wouldWait(), sentAt);
    Command.Release before = claim.predecessor();
    engine.timers().set(claim, claim.wakeNanos());
    after.add(
        mayBlock -> {
          CompletionStage<AcquireReply> answer =
              engine.call(
                  mayBlock,
                  store -> {
                    claim.onAcquireSent();
                    return before == null
                        ? store.acquire(acquire)
                        : store.yieldGrant(new Command.Yield(before, acquire));
                  });
          engine.whenDone(
              answer,
              (reply, error) ->
                  queue.lockedWithin(
                      after, then -> claim.contender.onAnswer(claim, sentAt, reply, error, then)));
        });
  }

  private void give(Waiter waiter, Claim claim, long since, boolean passed, Afterwards after) {
    HeldLease lease = new HeldLease(engine, claim, claim.takeToken(), waiter, since);
    claim.lease = lease;
    after.add(mayBlock -> engine.events().acquired(waiter, lease, passed));
    line.end(waiter, new Outcome.Held(lease), after);
    if (isAlone()) {
      line.endOverdue(this::timedOut, after);
    }
  }

  /** Gives up a grant and asks anew, behind everybody else, in one step. */
  private void yieldTo(Waiter next, Claim claim, Afterwards after) {
    end(claim);
    makeClaim(next.request, claim.release(), after);
  }

  private Ending<ReleaseReply> endGrant(Claim claim, Afterwards after) {
    end(claim);
    Ending<ReleaseReply> ending = engine.ending(claim.release(), claim.request);
    after.add(ending::send);
    return ending;
  }

  /** Cancels claims that nobody stands in line for; returns the last cancel, if there is one. */
  private @Nullable Ending<CancelReply> cancelUnwanted(Afterwards after) {
    Ending<CancelReply> cancel = null;
    while (open.size() > mostWanted()) {
      cancel = cancel(open.get(open.size() - 1), after);
    }
    return cancel;
  }

  private Ending<CancelReply> cancel(Claim claim, Afterwards after) {
    end(claim);
    Command.Release before = claim.predecessor();
    if (before != null) {
      after.add(engine.ending(before, claim.request)::send);
    }
    Ending<CancelReply> cancel = engine.ending(claim.cancel(), claim.request);
    after.add(cancel::send);
    return cancel;
  }

  private void end(Claim claim) {
    open = Few.without(open, claim);
    held.remove(claim);
    claim.end();
    engine.timers().cancel(claim);
  }

  // What is known.

  /** Returns what the store is told about the thread behind a claim. */
  private String actorOf(Claim claim) {
    HeldLease lease = claim.lease;
    Waiter first = line.first();
    Thread thread = lease != null ? lease.owner : first != null ? first.thread : null;
    return engine.actor(thread);
  }

  /** Returns a renewal that somebody waits for, and that may ask for more time than usual. */
  Command.Renew renewal(Claim claim, long leaseMicros) {
    return claim.renewal(actorOf(claim), leaseMicros);
  }

  boolean isHeldAs(Request request) {
    return kind.permits() == request.permits()
        && kind.capacity() == request.capacity()
        && kind.mark().isEmpty()
        && held.stream().anyMatch(claim -> claim.lease != null && claim.lease.isHeld());
  }

  private Outcome timedOut(Waiter waiter) {
    Claim first = open.isEmpty() ? null : open.get(0);
    return first != null && first.isInDoubt(engine.now())
        ? Refusals.failure(engine, waiter, first, first.failure(engine.store().describe()))
        : refused(waiter);
  }

  private Outcome.Refused refused(Waiter waiter) {
    Claim first = open.isEmpty() ? null : open.get(0);
    HeldLease lease = isAlone() && !held.isEmpty() ? held.get(0).lease : null;
    Claim kept = isAlone() && !held.isEmpty() && lease == null ? held.get(0) : null;
    Supplier<String> why =
        lease != null
            ? Refusals.heldHere(engine, waiter, lease, line.size())
            : kept != null
                ? Refusals.keptHere(engine, waiter, kept.wakeNanos() - engine.now())
                : Refusals.heldElsewhere(
                    engine,
                    waiter,
                    first == null ? null : first.contention(),
                    first == null ? 0 : first.silenceNanos(engine.now()));
    return new Outcome.Refused(why, first == null ? null : first.contention());
  }

  int waiting() {
    return line.size();
  }

  void addLeases(List<HeldLease> leases) {
    for (Claim claim : held) {
      HeldLease lease = claim.lease;
      if (lease != null) {
        leases.add(lease);
      }
    }
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    for (Claim claim : held) {
      if (claim.hasBeenAnswered()) {
        return claim.storeMicros(nanos);
      }
    }
    for (Claim claim : open) {
      if (claim.hasBeenAnswered()) {
        return claim.storeMicros(nanos);
      }
    }
    return 0;
  }
}
