package dev.pawl.machine;

import dev.pawl.machine.LockState.Ended;
import dev.pawl.machine.LockState.Holder;
import dev.pawl.machine.LockState.Waiter;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One command's working copy of a state; starts by dropping whoever has expired by the clock. */
final class Turn {

  private final String name;
  private final long now;
  private long lastToken;
  private OptionalLong mark;
  private long markUntil;
  private final List<Holder> holders;
  private final List<Waiter> queue;
  private final List<Ended> ended;
  private final List<Signal> signals = new ArrayList<>(1);

  Turn(LockState state, String name, long now) {
    this.name = name;
    this.now = now;
    this.lastToken = state.lastToken();
    this.mark = state.mark();
    this.markUntil = state.markUntilMicros();
    this.holders = new ArrayList<>(state.holders());
    this.queue = new ArrayList<>(state.queue());
    this.ended = new ArrayList<>(state.ended());
    queue.removeIf(w -> w.aliveUntilMicros() <= now);
    for (Holder holder : state.holders()) {
      if (holder.untilMicros() <= now) {
        holders.remove(holder);
        dropSilentSince(holder);
      }
    }
    ended.removeIf(e -> e.untilMicros() <= now);
  }

  /**
   * A node that let a grant end without confirming it is taken for dead, and its waiters go that
   * have not been heard of since. Only those far back can have been silent for so long.
   */
  private void dropSilentSince(Holder dead) {
    if (dead.isUnconfirmed()) {
      queue.removeIf(
          waiter ->
              waiter.claim().node().equals(dead.claim().node())
                  && waiter.isFar(now)
                  && waiter.aliveUntilMicros()
                      <= dead.sinceMicros() + LockMachine.FAR_WAITER_ALIVE_MICROS);
    }
  }

  <R> Step<R> step(R reply) {
    return new Step<>(
        new LockState(lastToken, mark, markUntil, holders, queue, ended),
        reply,
        List.copyOf(signals));
  }

  /**
   * Puts the claim at the end of the queue unless it is known, grants, and tells where it stands.
   */
  AcquireReply ask(Command.Acquire command) {
    ClaimId claim = command.claim();
    if (ended.stream().anyMatch(e -> e.claim().equals(claim))) {
      grantQueue(null);
      return new AcquireReply.Ended();
    }
    // Asking again is a sign of life, just as a renewal is.
    boolean known = refresh(claim, command.permits(), command.leaseMicros(), command.actor());
    if (!known && isReached(command.mark())) {
      grantQueue(null);
      return new AcquireReply.Done(mark.getAsLong());
    }
    if (!known) {
      queue.add(waiter(command));
    }
    grantQueue(claim);
    Holder holder = holder(claim);
    if (holder != null) {
      return new AcquireReply.Granted(grant(holder));
    }
    // A claim that waits keeps its place: this copy was sent before it was ready to wait.
    if (command.queue() || known) {
      return new AcquireReply.Queued(contention(claim));
    }
    Contention contention = contention(claim);
    queue.removeIf(w -> w.claim().equals(claim));
    return new AcquireReply.Busy(contention);
  }

  /** Tells where a claim stands; it takes nothing, and gets no more time than it has. */
  AcquireReply look(Command.Acquire command) {
    ClaimId claim = command.claim();
    grantQueue(null);
    Holder holder = holder(claim);
    if (holder != null) {
      return new AcquireReply.Granted(grant(holder));
    }
    if (ended.stream().anyMatch(e -> e.claim().equals(claim))) {
      return new AcquireReply.Ended();
    }
    if (queue.stream().anyMatch(w -> w.claim().equals(claim))) {
      return new AcquireReply.Queued(contention(claim));
    }
    return isReached(command.mark())
        ? new AcquireReply.Done(mark.getAsLong())
        : new AcquireReply.Busy(contention(claim));
  }

  /** Extends the claim wherever it is; false if it is nowhere. */
  boolean refresh(ClaimId claim, int permits, long leaseMicros, String actor) {
    for (int i = 0; i < holders.size(); i++) {
      if (holders.get(i).claim().equals(claim)) {
        holders.set(i, holders.get(i).renewed(permits, now + leaseMicros, actor));
        return true;
      }
    }
    for (int i = 0; i < queue.size(); i++) {
      if (queue.get(i).claim().equals(claim)) {
        queue.set(i, queue.get(i).alive(now + LockMachine.aliveMicros(i), actor));
        return true;
      }
    }
    return false;
  }

  RenewReply standing(ClaimId claim) {
    Holder holder = holder(claim);
    if (holder != null) {
      return new RenewReply.Held(grant(holder));
    }
    return queue.stream().anyMatch(w -> w.claim().equals(claim))
        ? new RenewReply.Waiting(contention(claim))
        : new RenewReply.Gone();
  }

  /**
   * Ends a grant; false if the claim did not hold the name, and then nothing but the claim changes.
   */
  boolean end(Command.Release command) {
    Holder holder = holder(command.claim());
    cancel(command.claim(), command.late());
    if (holder == null) {
      return false;
    }
    if (holder.lastToken() == lastToken
        && command.usedToken() >= holder.token()
        && command.usedToken() < lastToken) {
      lastToken = command.usedToken();
    }
    if (command.mark().isPresent() && !isReached(command.mark())) {
      mark = command.mark();
      markUntil = Math.max(markUntil, now + command.keepMicros());
      dismissReached();
    }
    return true;
  }

  CancelReply cancel(ClaimId claim, boolean late) {
    boolean held = holders.removeIf(h -> h.claim().equals(claim));
    boolean waited = queue.removeIf(w -> w.claim().equals(claim));
    if (late) {
      rememberEnded(claim);
    }
    return held ? CancelReply.WAS_GRANTED : waited ? CancelReply.CANCELLED : CancelReply.GONE;
  }

  private void rememberEnded(ClaimId claim) {
    if (ended.stream().anyMatch(e -> e.claim().equals(claim))) {
      return;
    }
    if (ended.size() == LockMachine.MOST_ENDED) {
      ended.remove(0);
    }
    ended.add(new Ended(claim, now + LockMachine.ENDED_MICROS));
  }

  EvictReply evict(long token) {
    for (Holder holder : holders) {
      if (holder.token() <= token && token <= holder.lastToken()) {
        holders.remove(holder);
        rememberEnded(holder.claim());
        signals.add(new Signal.Evicted(name, holder.claim()));
        return new EvictReply.Evicted(holder.claim(), holder.label());
      }
    }
    return new EvictReply.Changed();
  }

  ResetReply reset(Command.Reset command) {
    if (!mark.equals(OptionalLong.of(command.mark()))) {
      return ResetReply.CHANGED;
    }
    mark = command.to();
    markUntil = mark.isPresent() ? markUntil : 0;
    return ResetReply.RESET;
  }

  /**
   * Grants the queue from its head: whoever fits and has no fair waiter ahead. The claim that sent
   * the command is known to be alive and gets its full lease; the others get the claim window, and
   * a signal.
   */
  void grantQueue(@Nullable ClaimId asking) {
    int at = 0;
    while (at < queue.size()) {
      Waiter waiter = queue.get(at);
      if (fits(waiter)) {
        queue.remove(at);
        boolean asks = waiter.claim().equals(asking);
        Holder holder = take(waiter, asks);
        if (!asks) {
          signals.add(new Signal.Granted(name, grant(holder)));
        }
      } else if (waiter.fair()) {
        summon(at);
        return;
      } else {
        at++;
      }
    }
  }

  /**
   * Bids the waiter at that place show life, if it was far back when it was last heard of and keeps
   * somebody near waiting who would fit: it may have died long ago (I6). With it the fair ones
   * between the two; and the other, so that it asks soon whether they did.
   */
  private void summon(int first) {
    if (!queue.get(first).isFar(now) || permitsHeld() >= queue.get(first).capacity()) {
      return;
    }
    int near = Math.min(queue.size(), LockMachine.FAR_AHEAD);
    int keptWaiting = first + 1;
    while (keptWaiting < near && !fits(queue.get(keptWaiting))) {
      keptWaiting++;
    }
    for (int i = first; keptWaiting < near && i <= keptWaiting; i++) {
      Waiter waiter = queue.get(i);
      if (waiter.isFar(now) && (waiter.fair() || i == keptWaiting)) {
        queue.set(i, waiter.alive(now + LockMachine.WAITER_ALIVE_MICROS, waiter.actor()));
        signals.add(new Signal.Summoned(name, waiter.claim()));
      }
    }
  }

  private Holder take(Waiter waiter, boolean asks) {
    long token = Math.max(lastToken + 1, now);
    lastToken = token + waiter.span() - 1;
    long lasts =
        asks
            ? waiter.leaseMicros()
            : Math.min(waiter.leaseMicros(), LockMachine.CLAIM_WINDOW_MICROS);
    Holder holder =
        new Holder(
            waiter.claim(),
            waiter.permits(),
            token,
            waiter.span(),
            now,
            now + lasts,
            waiter.label(),
            waiter.actor());
    holders.add(holder);
    return holder;
  }

  private boolean fits(Waiter waiter) {
    return permitsHeld() + waiter.permits() <= waiter.capacity();
  }

  private long permitsHeld() {
    long held = 0;
    for (Holder holder : holders) {
      held += holder.permits();
    }
    return held;
  }

  private void dismissReached() {
    Iterator<Waiter> waiters = queue.iterator();
    while (waiters.hasNext()) {
      Waiter waiter = waiters.next();
      if (isReached(waiter.mark())) {
        waiters.remove();
        signals.add(new Signal.Done(name, waiter.claim(), mark.getAsLong()));
      }
    }
  }

  private boolean isReached(OptionalLong wanted) {
    return wanted.isPresent() && mark.isPresent() && wanted.getAsLong() <= mark.getAsLong();
  }

  private Contention contention(ClaimId claim) {
    int ahead = 0;
    while (ahead < queue.size() && !queue.get(ahead).claim().equals(claim)) {
      ahead++;
    }
    if (holders.isEmpty()) {
      return new Contention("", now, now, 0, ahead, now);
    }
    long until = Long.MAX_VALUE;
    for (Holder holder : holders) {
      until = Math.min(until, holder.untilMicros());
    }
    Holder first = holders.get(0);
    return new Contention(first.label(), first.sinceMicros(), until, holders.size(), ahead, now);
  }

  private @Nullable Holder holder(ClaimId claim) {
    for (Holder holder : holders) {
      if (holder.claim().equals(claim)) {
        return holder;
      }
    }
    return null;
  }

  private Grant grant(Holder holder) {
    return new Grant(holder.claim(), holder.token(), holder.span(), holder.untilMicros(), now);
  }

  private Waiter waiter(Command.Acquire command) {
    return new Waiter(
        command.claim(),
        command.permits(),
        command.capacity(),
        command.leaseMicros(),
        command.span(),
        command.mark(),
        command.fair(),
        now,
        now + LockMachine.aliveMicros(queue.size()),
        command.label(),
        command.actor());
  }
}
