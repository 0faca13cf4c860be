package dev.pawl.engine.locks;

import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Ending;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one {@link Contender}: as many as its line wants and the store is likely to grant.
 * It makes them, sends their acquires, and ends them in the store. Guarded by the lock of the
 * queue.
 */
final class ClaimPool {

  /** How many claims of one kind are asked for at a time. */
  static final int MOST_ASKING = 16;

  private final Contender contender;

  /** The claims that ask or wait, the oldest first: few, and a new list for each change. */
  private List<LocalClaim> open = List.of();

  /** The claims that hold the name: mostly one, and then immutable; else a list that grows. */
  private List<LocalClaim> held = List.of();

  private int window = 1;

  ClaimPool(Contender contender) {
    this.contender = contender;
  }

  // Asking.

  /** Asks for as many more claims as the line wants and the store is likely to grant. */
  void askForMore(Afterwards after) {
    Caller first = contender.line().first();
    while (first != null && open.size() < mostWanted() && isRoomToAsk()) {
      make(isAlone() ? first.request : contender.kind(), null, after);
    }
  }

  private boolean isRoomToAsk() {
    if (isAlone()) {
      return open.isEmpty() && held.isEmpty();
    }
    for (LocalClaim claim : open) {
      if (claim.isHeldUp()) {
        return false;
      }
    }
    return open.size() < window;
  }

  private boolean isAlone() {
    return contender.kind().isAlone();
  }

  /** Returns how many claims may ask or wait without being there for nobody. */
  private int mostWanted() {
    int callers = contender.line().size();
    return isAlone() ? Math.min(1, callers) : callers;
  }

  /** Tells whether there is a caller for each claim that asks or waits. */
  boolean isWanted() {
    return open.size() <= mostWanted();
  }

  /**
   * Makes a claim and has it asked for.
   *
   * @param predecessor the claim whose grant is given up with its acquire
   */
  void make(Request request, @Nullable LocalClaim predecessor, Afterwards after) {
    Engine engine = contender.engine();
    LocalClaim claim =
        new LocalClaim(engine.nextClaimId(), request, engine.link().pace(), contender, predecessor);
    open = Few.with(open, claim);
    ask(claim, after);
  }

  void ask(LocalClaim claim, Afterwards after) {
    Engine engine = contender.engine();
    LocalQueue queue = contender.queue();
    long now = engine.now();
    Command.Acquire acquire =
        claim.ask(engine.label(), contender.actorOf(claim), contender.line().wouldWait(), now);
    AtomicLong sentAt = new AtomicLong(now); // Later, if it stands in line for a thread.
    Command.Release before = claim.predecessor();
    engine.timers().set(claim, claim.wakeNanos());
    after.add(
        mayBlock -> {
          CompletionStage<AcquireReply> answer =
              engine
                  .link()
                  .call(
                      mayBlock,
                      store -> {
                        sentAt.set(engine.now());
                        claim.onAcquireSent();
                        return before == null
                            ? store.acquire(acquire)
                            : store.yieldGrant(new Command.Yield(before, acquire));
                      });
          engine
              .link()
              .whenDone(
                  answer,
                  (reply, error) ->
                      queue.lockedWithin(
                          after,
                          then ->
                              claim.contender.onAnswer(claim, sentAt.get(), reply, error, then)));
        });
  }

  /** The store has granted one; those who come after it may ask side by side if it did at once. */
  void onGranted(LocalClaim claim, boolean atOnce) {
    open = Few.without(open, claim);
    addHeld(claim);
    if (atOnce) {
      window = Math.min(MOST_ASKING, 2 * window);
    }
  }

  /** The store has made one wait or refused it: the next ones are asked for one by one. */
  void onHeldUp() {
    window = 1;
  }

  /** Of those that were asked for side by side, one waits for all. */
  void cancelAllButOneThatWaits(Afterwards after) {
    open.stream()
        .filter(claim -> claim.state() == Claim.State.WAITING)
        .skip(1)
        .forEach(claim -> cancel(claim, after));
  }

  // Holding.

  void addHeld(LocalClaim claim) {
    if (held.isEmpty()) {
      held = List.of(claim);
    } else {
      if (held.size() == 1) {
        held = new ArrayList<>(held);
      }
      held.add(claim);
    }
  }

  void removeHeld(LocalClaim claim) {
    if (held.size() < 2) {
      held = held.contains(claim) ? List.of() : held;
    } else if (held.remove(claim) && held.size() == 1) {
      held = List.copyOf(held);
    }
  }

  // The end.

  /** Ends a claim here and releases it in the store. */
  Ending<ReleaseReply> release(LocalClaim claim, Afterwards after) {
    end(claim);
    Ending<ReleaseReply> ending = contender.engine().ending(claim.releaseCommand(), claim);
    after.add(ending::send);
    return ending;
  }

  /** Cancels claims that nobody stands in line for; returns the last cancel, if there is one. */
  @Nullable Ending<CancelReply> cancelUnwanted(Afterwards after) {
    Ending<CancelReply> cancel = null;
    while (!isWanted()) {
      cancel = cancel(open.get(open.size() - 1), after);
    }
    return cancel;
  }

  private Ending<CancelReply> cancel(LocalClaim claim, Afterwards after) {
    end(claim);
    Engine engine = contender.engine();
    Command.Release before = claim.predecessor();
    if (before != null) {
      after.add(engine.ending(before, claim)::send);
    }
    Ending<CancelReply> cancel = engine.ending(claim.cancelCommand(), claim);
    after.add(cancel::send);
    return cancel;
  }

  /** Ends a claim here; whoever calls this sees to it that the store is told. */
  void end(LocalClaim claim) {
    open = Few.without(open, claim);
    removeHeld(claim);
    claim.end();
    contender.engine().timers().cancel(claim);
  }

  // What is known.

  boolean isEmpty() {
    return open.isEmpty() && held.isEmpty();
  }

  List<LocalClaim> open() {
    return open;
  }

  List<LocalClaim> held() {
    return held;
  }

  @Nullable LocalClaim firstOpen() {
    return open.isEmpty() ? null : open.get(0);
  }

  /** Returns the only claim that holds the name; null if there is none, or could be several. */
  @Nullable LocalClaim onlyHeld() {
    return isAlone() && !held.isEmpty() ? held.get(0) : null;
  }

  /** Returns the claim of that number; if it is negative, all those that ask or wait. */
  List<LocalClaim> matching(long counter) {
    if (counter < 0) {
      return open;
    }
    for (LocalClaim claim : open) {
      if (claim.id.counter() == counter) {
        return List.of(claim);
      }
    }
    for (LocalClaim claim : held) {
      if (claim.id.counter() == counter) {
        return List.of(claim);
      }
    }
    return List.of();
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    for (LocalClaim claim : held) {
      if (claim.hasBeenAnswered()) {
        return claim.storeMicros(nanos);
      }
    }
    for (LocalClaim claim : open) {
      if (claim.hasBeenAnswered()) {
        return claim.storeMicros(nanos);
      }
    }
    return 0;
  }
}
