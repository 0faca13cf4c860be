package dev.pawl.engine.locks;

import dev.pawl.Pawl.Monitor;
import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Verdict;
import dev.pawl.engine.link.Ending;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a grant: it is given to a caller, and from there passed on, yielded, kept,
 * released or lost. One for a node; what it changes is the contender's, under its queue's lock.
 */
final class HandOver {

  private final Engine engine;

  HandOver(Engine engine) {
    this.engine = engine;
  }

  // Given.

  /** Gives a new grant to the first in line; if there is nobody, back to the store. */
  void onGranted(LocalClaim claim, boolean atOnce, Afterwards after) {
    Contender contender = claim.contender;
    contender.pool().onGranted(claim, atOnce);
    Caller next = contender.line().first();
    if (next == null) {
      contender.pool().release(claim, after);
    } else if (claim.request.canPassTo(next.request)) {
      contender.line().remove(next);
      next.granted = atOnce && !next.stoodBehind ? Monitor.Ending.GRANTED : Monitor.Ending.WAITED;
      give(next, claim, claim.grantedNanos(), false, after);
      contender.pool().askForMore(after);
    } else {
      yieldTo(next, claim, after);
    }
  }

  private void give(Caller caller, LocalClaim claim, long since, boolean passed, Afterwards after) {
    HeldLease lease = new HeldLease(claim, claim.takeToken(), caller, since);
    claim.lease = lease;
    after.add(mayBlock -> engine.events().acquired(caller, lease, passed));
    claim.contender.line().end(caller, new CallResult.Held(lease), after);
    if (claim.contender.kind().isAlone()) {
      claim.contender.endOverdue(after);
    }
  }

  // Given back.

  /** Gives up a lease; returns the store's answer if there is one to wait for. */
  @Nullable Ending<ReleaseReply> release(HeldLease lease, Afterwards after) {
    LocalClaim claim = lease.claim();
    long now = engine.now();
    if (isLost(claim, now, after)) {
      return null;
    }
    close(lease, now, after);
    Contender contender = claim.contender;
    Caller next = nextOf(claim);
    if (next == null) {
      return contender.pool().release(claim, after);
    }
    if (claim.request.canPassTo(next.request) && claim.mayPass(now)) {
      contender.line().remove(next);
      next.granted = Monitor.Ending.PASSED;
      give(next, claim, now, true, after);
    } else {
      yieldTo(next, claim, after);
    }
    return null;
  }

  /** Returns who gets the same grant next: of readers and semaphores, each caller has its own. */
  private static @Nullable Caller nextOf(LocalClaim claim) {
    return claim.contender.kind().isAlone() ? claim.contender.line().first() : null;
  }

  /** Gives up a grant and asks anew, behind everybody else, in one step. */
  private static void yieldTo(Caller next, LocalClaim claim, Afterwards after) {
    ClaimPool pool = claim.contender.pool();
    pool.end(claim);
    pool.make(next.request, claim, after);
  }

  private void close(HeldLease lease, long now, Afterwards after) {
    lease.state = HeldLease.State.CLOSED;
    lease.claim().lease = null;
    after.add(mayBlock -> engine.events().released(lease, now - lease.sinceNanos, mayBlock));
  }

  /**
   * Gives up the lease of a job whose tick is done; null if it had been lost before. Nobody else
   * stands in the line of a claim with a mark.
   */
  <R> @Nullable Ending<R> finish(
      HeldLease lease, long mark, long keepMarkMicros, TickEnding<R> end, Afterwards after) {
    LocalClaim claim = lease.claim();
    long now = engine.now();
    if (isLost(claim, now, after)) {
      return null;
    }
    close(lease, now, after);
    claim.contender.pool().end(claim);
    Command.Release release = claim.releaseCommand(OptionalLong.of(mark), keepMarkMicros);
    Ending<R> ending =
        engine.ending(claim, end.of(release, claim.storeMicros(claim.deadlineNanos())));
    after.add(ending::send);
    return ending;
  }

  // Kept for nobody.

  /** Ends a lease and keeps its name until then, for nobody; false if it had been lost. */
  boolean keep(HeldLease lease, long untilNanos, Afterwards after) {
    LocalClaim claim = lease.claim();
    long now = engine.now();
    if (isLost(claim, now, after)) {
      return false;
    }
    close(lease, now, after);
    claim.keepUntil(untilNanos);
    engine.timers().set(claim, keptDue(claim, now));
    return true;
  }

  /**
   * Gives up a name that was kept for as long as it was to be. If the node cannot know for as long
   * that the store has it, as where that vouches for less, whoever comes asks the store meanwhile.
   */
  void onKept(LocalClaim claim, long now, Afterwards after) {
    ClaimPool pool = claim.contender.pool();
    Caller next = nextOf(claim);
    if (now - claim.wakeNanos() < 0) {
      if (!claim.isCertainAt(now)) {
        pool.removeHeld(claim);
        pool.askForMore(after);
      }
      engine.timers().set(claim, keptDue(claim, now));
    } else if (next == null || !pool.held().contains(claim)) {
      pool.release(claim, after);
    } else {
      yieldTo(next, claim, after);
    }
  }

  private static long keptDue(LocalClaim claim, long now) {
    long known = claim.deadlineNanos();
    boolean first = claim.isCertainAt(now) && known - claim.wakeNanos() < 0;
    return first ? known : claim.wakeNanos();
  }

  // Lost.

  /** Looks whether a claim can no longer be counted on, and ends it if so. */
  private boolean isLost(LocalClaim claim, long now, Afterwards after) {
    boolean lost = !claim.isHeldAt(now);
    if (lost) {
      onLost(claim, new Verdict.Lost(Claim.NOT_RENEWED, true), after);
    }
    return lost;
  }

  void onLost(LocalClaim claim, Verdict.Lost lost, Afterwards after) {
    HeldLease lease = claim.lease;
    boolean planned = claim.hasRunOut(engine.now());
    claim.lease = null;
    claim.contender.pool().end(claim);
    if (lost.mayStillHold() || claim.isAnswerOutstanding()) {
      after.add(engine.ending(claim.releaseCommand(), claim)::send);
    }
    if (lease != null) {
      String reason = planned ? "it has expired, and is not renewed" : lost.reason();
      List<Runnable> callbacks = lease.lose(reason);
      after.add(mayBlock -> lease.interruptWork());
      after.add(mayBlock -> engine.events().lost(lease, reason, planned, callbacks, lost.told()));
    } else {
      after.add(mayBlock -> lost.told().run());
    }
    claim.contender.pool().askForMore(after);
  }

  /** Takes a lease away from its holder in this node. */
  void expire(HeldLease lease, String reason, Afterwards after) {
    onLost(lease.claim(), new Verdict.Lost(reason, true), after);
  }

  /** Ends what is wrong with a lease whose timer fires; true if it has ended. */
  boolean endIfAbandoned(HeldLease lease, long now, Afterwards after) {
    if (lease.isOwnerDead()) {
      engine.events().ownerDied(lease);
      engine.holds().forget(lease);
      release(lease, after);
      return true;
    }
    if (lease.isForgotten()) {
      expire(lease, "it was " + lease.taker() + " and forgotten: close() the handle", after);
      return true;
    }
    if (lease.isHeldForLong(now)) {
      after.add(mayBlock -> engine.events().heldForLong(lease));
    }
    return false;
  }

  /** Gives up what is held because the node is closed; what is kept stays. */
  void close(LocalClaim claim, Afterwards after) {
    HeldLease lease = claim.lease;
    if (lease == null) {
      claim.contender.pool().end(claim);
      return;
    }
    List<Runnable> callbacks = lease.takeOnLost();
    release(lease, after);
    after.add(mayBlock -> lease.interruptWork());
    after.add(mayBlock -> callbacks.forEach(engine.events()::runLoss));
  }
}
