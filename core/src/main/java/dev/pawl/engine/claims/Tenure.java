package dev.pawl.engine.claims;

import dev.pawl.engine.link.Pace;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import org.jspecify.annotations.Nullable;

/**
 * What a grant gives to its claim: tokens, a deadline, and renewals that move it. Guarded by the
 * lock of the claim's queue, except for the deadline, which a lease reads at any time.
 */
final class Tenure {

  /** Ends of a lease that lie no further apart are the same one. */
  private static final long SAME_MICROS = 1_000;

  /** When the node stops counting on the grant (I2). */
  private volatile long deadlineNanos;

  private long grantedNanos;
  private long firstToken;
  private int span;

  /** How many of the grant's tokens were given to callers. */
  private int given;

  /** Whether an exclusive claim goes on as a shared one. */
  private boolean downgraded;

  /** Whether the grant was told by a signal and lasts for the claim window only. */
  private boolean provisional;

  /** Whether the node may count on the grant for less than it lasts, unless it asks again. */
  private boolean bounded;

  /** Whether the store is to be told of a change that came at {@code changedNanos}. */
  private boolean mustTell;

  private long changedNanos;

  /** The longest time that was asked for in a renewal or in the acquire. */
  private long mostMicros;

  /**
   * When the store ends it, by the store's clock. What does not move that moves no deadline: the
   * less is left, the less a store that tells it anew allows for the drift of two clocks (I2).
   */
  private long untilMicros;

  Tenure(Request request) {
    this.mostMicros = request.leaseMicros();
  }

  void begin(Grant grant, long deadline, long now) {
    grantedNanos = now;
    untilMicros = grant.untilMicros();
    firstToken = grant.token();
    span = grant.span();
    given = 0;
    deadlineNanos = deadline;
  }

  /**
   * Returns what to count on: never more than was asked for, and than the store vouches for. A
   * store whose clock was set back keeps a claim for as much longer, and no longer at all when the
   * clock is set right again (I2).
   */
  Grant believed(Grant told) {
    long most = told.nowMicros() + Math.min(mostMicros, told.trustMicros());
    return told.untilMicros() <= most
        ? told
        : new Grant(told.claim(), told.token(), told.span(), most, told.nowMicros());
  }

  private void extend(long deadline) {
    if (deadline - deadlineNanos > 0) {
      deadlineNanos = deadline;
    }
  }

  /**
   * Returns when the next renewal is due. A grant that was told by a signal is renewed in any case,
   * once, which confirms it. One of a lease that is not to be renewed brings no time, but tells
   * whether the store still has it: it may have been released by force.
   */
  private long renewalDue(Request request, Grant told, Grant grant, long baseNanos) {
    bounded = told.trustMicros() < told.untilMicros() - told.nowMicros();
    if (provisional) {
      // Soon, since a busy machine may stall; not at once, since most are given back before.
      return earlier(deadlineNanos, baseNanos + Pace.CONFIRM_NANOS);
    }
    long length =
        renewsNext(request) || bounded
            ? Math.min(ClockReading.lasts(grant), request.leaseMicros() * 1_000)
            : mostMicros * 1_000;
    // Rounded to a grid, so that leases taken one after the other are renewed together (I9).
    long grid = Math.max(1, length / 16);
    return earlier(deadlineNanos, Math.floorDiv(baseNanos + length / 3, grid) * grid);
  }

  /** A renewal is due, or its answer is late. */
  Verdict onTimer(Claim claim, long attemptNanos, long now) {
    Request request = claim.request;
    if (!lastsAt(now)) {
      return new Verdict.Lost(Claim.NOT_RENEWED, true);
    }
    long retry = Math.min(attemptNanos, request.leaseMicros() * 100);
    claim.wakeNanos = earlier(deadlineNanos, now + retry);
    return Verdict.RENEW;
  }

  /** Takes the answer to a copy of the acquire. */
  Verdict onGrantAgain(Grant grant, long deadline, long now) {
    if (!lastsAt(now)) {
      return new Verdict.Lost(Claim.NOT_RENEWED, true);
    }
    if (grant.token() != firstToken) {
      return new Verdict.Lost(grantedAnew(grant), true);
    }
    extend(deadline);
    return Verdict.NOTHING;
  }

  /** Takes the answer to a renewal. */
  Verdict onRenewed(Claim claim, long madeAt, long sentAt, @Nullable RenewReply reply, long now) {
    if (!lastsAt(now)) {
      return new Verdict.Lost(Claim.NOT_RENEWED, true);
    }
    if (reply instanceof RenewReply.Waiting) {
      // A poll that was overtaken by the grant it did not know of says nothing of it.
      return sentAt - grantedNanos < 0
          ? Verdict.NOTHING
          : new Verdict.Lost("the store had lost it, and made it wait again", true);
    }
    if (!(reply instanceof RenewReply.Held held)) {
      return new Verdict.Lost(
          "the store no longer knew it: it had expired there, or was released by force", false);
    }
    if (held.grant().token() != firstToken) {
      return new Verdict.Lost(grantedAnew(held.grant()), true);
    }
    Request request = claim.request;
    claim.clock.read(sentAt, held.grant().nowMicros());
    if (held.inDoubt()) {
      return Verdict.NOTHING; // It is asked for again, as without an answer.
    }
    mustTell &= madeAt - changedNanos < 0;
    Grant grant = believed(held.grant());
    if (renewsNext(request) || bounded || held.grant().untilMicros() - untilMicros > SAME_MICROS) {
      untilMicros = held.grant().untilMicros();
      extend(claim.clock.deadline(grant, now));
    }
    provisional = renewsNext(request) && isShort(request, held.grant());
    long due = renewalDue(request, held.grant(), grant, sentAt);
    if (!mustTell) { // Else it was made before the change, and the next one is to come soon.
      claim.wakeNanos = due;
    }
    return Verdict.NOTHING;
  }

  /** Returns when a new grant is to be renewed first; its base is its age, not when it came. */
  long firstDue(Request request, Grant told, Grant grant, long now) {
    provisional = isShort(request, told);
    // By the age of the lease: the signal of it may have been long under way.
    long base = earlier(now, deadlineNanos - ClockReading.lasts(grant));
    return renewalDue(request, told, grant, base);
  }

  private static boolean isShort(Request request, Grant told) {
    return told.untilMicros() - told.nowMicros() < request.leaseMicros();
  }

  /** Tells whether it was not to be renewed, and has lasted as long as it was to. */
  boolean hasRunOut(Request request, long now) {
    return !renewsNext(request) && !bounded && !lastsAt(now);
  }

  private boolean renewsNext(Request request) {
    return request.options().renewal() || provisional;
  }

  /** Takes the next token of the grant, for whoever is given the name now. */
  long takeToken() {
    given++;
    return usedToken();
  }

  /** Returns the highest token anybody was given under this grant; zero if there was none. */
  long usedToken() {
    return span == 0 ? 0 : firstToken + given - 1;
  }

  /** Tells whether the grant may go on to another caller of this node, within the budget of I7. */
  boolean mayPass(Request request, long now) {
    boolean isExtended = mostMicros > request.leaseMicros(); // More than the next one wants.
    return given < span && now - grantedNanos <= Pace.PASS_NANOS && !isExtended;
  }

  /** Somebody else may have had the name in between, whose token was higher than ours (I3). */
  private String grantedAnew(Grant grant) {
    return "the store had lost it and granted it anew, with token "
        + grant.token()
        + " instead of "
        + firstToken;
  }

  void downgrade() {
    downgraded = true;
  }

  /** The store is to be told of a change. */
  void tell(long now) {
    mustTell = true;
    changedNanos = now;
  }

  /** Returns the longest time for which the store was asked to keep it. */
  long longestNanos() {
    return mostMicros * 1_000;
  }

  /** Returns a renewal; of a lease that is not to be renewed, one that brings no time. */
  Command.Renew renew(Claim claim, String actor) {
    boolean brings = claim.state() != Claim.State.HELD || renewsNext(claim.request);
    return renewFor(claim, brings ? claim.request.leaseMicros() : 1, actor);
  }

  /** Returns a renewal for that much time if it is more than usual. */
  Command.Renew renew(Claim claim, String actor, long micros) {
    mostMicros = Math.max(mostMicros, micros);
    long usual = renewsNext(claim.request) ? claim.request.leaseMicros() : 1;
    return renewFor(claim, Math.max(usual, micros), actor);
  }

  private Command.Renew renewFor(Claim claim, long micros, String actor) {
    int permits = downgraded ? 1 : claim.request.permits();
    return new Command.Renew(claim.request.name(), claim.id, permits, micros, actor);
  }

  long grantedNanos() {
    return grantedNanos;
  }

  long deadlineNanos() {
    return deadlineNanos;
  }

  /** Tells whether the node may still count on it. */
  boolean lastsAt(long now) {
    return now - deadlineNanos < 0;
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }
}
