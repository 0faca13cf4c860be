package dev.pawl.engine;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * What the node knows of one claim: whether it was asked for, waits, holds or has ended, until when
 * the node counts on it, and when to look at it again.
 *
 * <pre>
 *   ASKING ──granted──────────────▶ HELD ──lost, ended──▶ ENDED  (or KEPT for a while before)
 *     │  ▲                           ▲                      ▲
 *     │  └─busy (store has no queue) │ signal or poll       │
 *     └──queued──▶ WAITING ──────────┴──gone, ended─────────┘
 * </pre>
 *
 * It is told of events, with the time, and answers each with a {@link Verdict}: it sends nothing,
 * sets no timer and calls nobody. The {@link Contender} that made it does that, and looks at {@link
 * #wakeNanos()} after each event. All of it is guarded by the lock of its queue, except for the
 * deadline, which a lease reads at any time, and the two flags of what stands in line for a thread.
 */
final class Claim extends Timed {

  enum State {
    ASKING,
    WAITING,
    HELD,
    /** The lease is closed, and the name kept for nobody until {@link #wakeNanos()}. */
    KEPT,
    ENDED
  }

  static final String NOT_RENEWED = "it could not be renewed in time";
  private static final String BY_FORCE = "it was released by force";

  final ClaimId id;
  final Request request;
  final LocalQueue queue;
  private final Pace pace;

  /** Who made it, or took it over when a writer became a reader. */
  Contender contender;

  /** Who holds the name by it now. */
  @Nullable HeldLease lease;

  /** When the node stops counting on the grant (I2). */
  volatile long deadlineNanos;

  private State state = State.ASKING;
  private long wakeNanos;
  private int permits;
  private long grantedNanos;

  /** The highest token anybody was given under this grant. */
  private long usedToken;

  private long firstToken;
  private long lastToken;

  /**
   * The grant that is given up with the first acquire, for a claim that takes over from another.
   */
  private Command.@Nullable Release predecessor;

  private final ClockReading clock = new ClockReading();
  private int sent;
  private int answered;

  /** How many acquires have neither been answered nor failed. */
  private int underWay;

  /** Whether the name has changed hands since the last acquire was sent. */
  private boolean changed;

  private @Nullable Throwable failure;
  private @Nullable Contention contention;
  private int busyReplies;

  /** Whether an acquire stands in line for a thread: a second one would make the line longer. */
  private volatile boolean inLine;

  /** Whether a renewal or a poll stands in line, for the same reason. */
  private volatile boolean renewalInLine;

  /** Whether the last acquire wanted a place in the queue. */
  private boolean askedToWait;

  /** Whether the grant was told by a signal and lasts for the claim window only. */
  private boolean provisional;

  /** Whether the node may count on the grant for less than it lasts, unless it asks again. */
  private boolean bounded;

  /** Whether the store is to be told of a change that came at {@code changedNanos}. */
  private boolean mustTell;

  private long changedNanos;

  /** The longest time that was asked for in a renewal or in the acquire. */
  private long mostMicros;

  Claim(
      ClaimId id,
      Request request,
      Pace pace,
      Contender contender,
      Command.@Nullable Release predecessor) {
    this.id = id;
    this.request = request;
    this.pace = pace;
    this.contender = contender;
    this.queue = contender.queue();
    this.permits = request.permits();
    this.mostMicros = request.leaseMicros();
    this.predecessor = predecessor;
  }

  // Asking.

  /** Returns the acquire to be sent now. */
  Command.Acquire ask(String label, String actor, boolean wait, long now) {
    clock.ask(now);
    sent++;
    underWay++;
    changed = false;
    askedToWait = wait;
    inLine = true;
    wakeNanos = now + pace.attemptNanos();
    return new Command.Acquire(
        request.name(),
        id,
        request.permits(),
        request.capacity(),
        request.leaseMicros(),
        request.span(),
        request.mark(),
        wait,
        request.options().fair(),
        label,
        actor);
  }

  /** The acquire that was made last is on its way; another one may be made. */
  void onAcquireSent() {
    inLine = false;
  }

  /** Takes the answer to one of the acquires. */
  Verdict onAnswer(long sentAt, AcquireReply reply, long now) {
    underWay--;
    answered++;
    if (state == State.ENDED || state == State.KEPT) {
      return Verdict.NOTHING; // Whatever it took is given up by the ending that is under way.
    }
    if (reply instanceof AcquireReply.Granted granted) {
      clock.read(sentAt, granted.grant().nowMicros());
      return onGrant(granted.grant(), state == State.ASKING && busyReplies == 0, now);
    }
    if (reply instanceof AcquireReply.Ended) { // Nobody ends a claim but its node, and people.
      return state == State.HELD ? new Verdict.Lost(BY_FORCE, false) : Verdict.FORGOTTEN;
    }
    if (state == State.HELD) {
      return Verdict.NOTHING; // An answer from before the grant, overtaken by the signal of it.
    }
    predecessor = null;
    if (reply instanceof AcquireReply.Queued queued) {
      clock.read(sentAt, queued.contention().nowMicros());
      onWaiting(queued.contention(), now);
      return Verdict.WAITING;
    }
    if (reply instanceof AcquireReply.Busy busy) {
      clock.read(sentAt, busy.contention().nowMicros());
      contention = busy.contention();
      busyReplies++;
      wakeNanos = now + busyDelay(busy.contention());
      return new Verdict.Busy(!askedToWait || changed);
    }
    return new Verdict.Done(((AcquireReply.Done) reply).mark());
  }

  /** One of the acquires failed. */
  Verdict onFailure(Throwable error, long now) {
    underWay--;
    if (!Failures.isOutcomeUnknown(error)) {
      answered++;
    }
    if (state != State.ASKING) {
      return Verdict.NOTHING; // A copy of the acquire failed, another one was answered.
    }
    failure = error;
    if (!Failures.isOfTheStore(error) || isHopeless(now)) {
      return new Verdict.Failed(error);
    }
    wakeNanos = now + pace.retryDelay(sent);
    return Verdict.NOTHING;
  }

  // Waiting.

  private void onWaiting(Contention seen, long now) {
    state = State.WAITING;
    contention = seen;
    failure = null;
    long poll = pace.pollDelay(seen.ahead());
    if (seen.holders() > 0 && seen.ahead() < Pace.FAR_AHEAD) {
      // I6: ask when the holder's lease ends, the first in line first.
      long expiry =
          (seen.untilMicros() - seen.nowMicros()) * 1_000 + (seen.ahead() + 1L) * Pace.GRACE_NANOS;
      poll = Math.min(poll, Math.max(expiry, Pace.GRACE_NANOS));
    }
    wakeNanos = now + poll;
  }

  private long busyDelay(Contention seen) {
    long delay = pace.retryDelay(Math.min(busyReplies, 4));
    long expiry = (seen.untilMicros() - seen.nowMicros()) * 1_000 + Pace.GRACE_NANOS;
    return seen.holders() == 0 ? delay : Math.min(delay, Math.max(expiry, Pace.GRACE_NANOS));
  }

  // Holding.

  private Verdict onGrant(Grant told, boolean atOnce, long now) {
    Grant grant = believed(told);
    long deadline = clock.deadline(grant, now);
    if (state == State.HELD) {
      return onGrantAgain(grant, deadline, now);
    }
    state = State.HELD;
    predecessor = null;
    failure = null;
    grantedNanos = now;
    firstToken = grant.token();
    usedToken = grant.token() - 1;
    lastToken = grant.token() + grant.span() - 1;
    deadlineNanos = deadline;
    if (now - deadline >= 0) {
      return new Verdict.Lost("the grant arrived after it had ended", true);
    }
    provisional = isShort(told);
    // By the age of the lease: the signal of it may have been long under way.
    setRenewal(told, grant, earlier(now, deadline - ClockReading.lasts(grant)));
    return new Verdict.Granted(atOnce);
  }

  private Verdict onGrantAgain(Grant grant, long deadline, long now) {
    if (!isHeldAt(now)) {
      return new Verdict.Lost(NOT_RENEWED, true);
    }
    if (grant.token() != firstToken) {
      return new Verdict.Lost(grantedAnew(grant), true);
    }
    extend(deadline);
    return Verdict.NOTHING;
  }

  /** Somebody else may have had the name in between, whose token was higher than ours (I3). */
  private String grantedAnew(Grant grant) {
    return "the store had lost it and granted it anew, with token "
        + grant.token()
        + " instead of "
        + firstToken;
  }

  /**
   * Returns what to count on: never more than was asked for, and than the store vouches for. A
   * store whose clock was set back keeps a claim for as much longer, and no longer at all when the
   * clock is set right again (I2).
   */
  private Grant believed(Grant told) {
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
   * Sets the timer for the next renewal, or for the end of a lease that is not renewed. A grant
   * that was told by a signal is renewed in any case, once, which confirms it.
   */
  private void setRenewal(Grant told, Grant grant, long baseNanos) {
    bounded = told.trustMicros() < told.untilMicros() - told.nowMicros();
    long due = deadlineNanos;
    if (provisional) {
      // Soon, since a busy machine may stall; not at once, since most are given back before.
      due = earlier(due, baseNanos + Pace.CONFIRM_NANOS);
    } else if (renewsNext() || bounded) {
      long length = Math.min(ClockReading.lasts(grant), request.leaseMicros() * 1_000);
      // Rounded to a grid, so that leases taken one after the other are renewed together (I9).
      long grid = Math.max(1, length / 16);
      due = earlier(due, Math.floorDiv(baseNanos + length / 3, grid) * grid);
    }
    wakeNanos = due;
  }

  private boolean isShort(Grant told) {
    return told.untilMicros() - told.nowMicros() < request.leaseMicros();
  }

  private boolean renewsNext() {
    return request.options().renewal() || provisional;
  }

  /** Takes the next token of the grant, for whoever is given the name now. */
  long takeToken() {
    return ++usedToken;
  }

  /** Tells whether the grant may go on to another caller of this node, within the budget of I7. */
  boolean mayPass(long now) {
    boolean isExtended = mostMicros > request.leaseMicros(); // More than the next one wants.
    return usedToken < lastToken && now - grantedNanos <= Pace.PASS_NANOS && !isExtended;
  }

  boolean isHeldAt(long now) {
    return state == State.HELD && now - deadlineNanos < 0;
  }

  /** Tells whether it was not to be renewed, and has lasted as long as it was to. */
  boolean hasRunOut(long now) {
    return state == State.HELD && !renewsNext() && !bounded && now - deadlineNanos >= 0;
  }

  /** Keeps the name for nobody until then: it is not renewed any more, and only a timer ends it. */
  void keepUntil(long nanos) {
    state = State.KEPT;
    wakeNanos = nanos;
  }

  /** Tells whether the store would certainly grant the name to nobody else now. */
  boolean isCertainAt(long now) {
    return (state == State.HELD || state == State.KEPT) && now - deadlineNanos < 0;
  }

  /** Goes on with fewer permits, which the store is told at once. */
  void lowerPermits(int fewer, long now) {
    permits = fewer;
    tellNow(now);
  }

  /** Has the store told at once what has changed about this claim. */
  void tellNow(long now) {
    if (state == State.HELD) {
      mustTell = true;
      changedNanos = now;
      wakeNanos = now;
    }
  }

  // Timers, renewals and signals.

  @Override
  void fire(long now, RenewalBatch batch) {
    queue.onTimer(this, now, batch);
  }

  /** When it is to be looked at again, unless something happens before. */
  long wakeNanos() {
    return wakeNanos;
  }

  Verdict onTimer(long now) {
    switch (state) {
      case ASKING -> {
        long left = hopelessNanos() - now;
        if (left <= 0) {
          return new Verdict.Failed(failure);
        }
        if (left < pace.attemptNanos() / 4) {
          // A copy that cannot be answered in time would only leave doubt behind (I11).
          wakeNanos = hopelessNanos();
          return Verdict.NOTHING;
        }
        wakeNanos = now + pace.attemptNanos();
        return inLine ? Verdict.NOTHING : Verdict.ASK;
      }
      case WAITING -> {
        if (isHopeless(now)) {
          return new Verdict.Failed(failure);
        }
        wakeNanos = now + pace.pollAttemptNanos();
        return Verdict.RENEW;
      }
      case HELD -> {
        if (now - deadlineNanos >= 0) {
          return new Verdict.Lost(NOT_RENEWED, true);
        }
        if (!renewsNext() && !mustTell && !bounded) {
          wakeNanos = deadlineNanos;
          return Verdict.NOTHING;
        }
        long retry = Math.min(pace.attemptNanos(), request.leaseMicros() * 100);
        wakeNanos = earlier(deadlineNanos, now + retry);
        return Verdict.RENEW;
      }
      default -> {
        return Verdict.NOTHING;
      }
    }
  }

  /** When the store will have been silent for longer than a call is willing to bear. */
  private long hopelessNanos() {
    return clock.askedNanos()
        + (clock.isRead() ? longestSilence() + pace.patienceNanos() : pace.responseNanos());
  }

  private boolean isHopeless(long now) {
    return now - hopelessNanos() >= 0;
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  /**
   * Returns the renewal to be sent; of a lease that is not to be renewed, one that tells of a
   * change and brings no time. Null if one stands in line already.
   */
  Command.@Nullable Renew renewal(String actor) {
    if (renewalInLine) {
      return null;
    }
    renewalInLine = true;
    long leaseMicros = state == State.HELD && !renewsNext() ? 1 : request.leaseMicros();
    return new Command.Renew(request.name(), id, permits, leaseMicros, actor);
  }

  /** Returns a renewal that somebody waits for; zero is no more time than usual. */
  Command.Renew renewal(String actor, long micros) {
    mostMicros = Math.max(mostMicros, micros);
    long usual = renewsNext() ? request.leaseMicros() : 1;
    return new Command.Renew(request.name(), id, permits, Math.max(usual, micros), actor);
  }

  /** The renewal that was made last is on its way; another one may be made. */
  void onRenewalSent() {
    renewalInLine = false;
  }

  /** Hands the answer to a renewal or a poll to its queue. */
  void renewed(RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error) {
    queue.onRenewed(this, call, reply, error);
  }

  /** Takes the answer to a renewal or a poll. */
  Verdict onRenewed(
      long madeAt, long sentAt, @Nullable RenewReply reply, @Nullable Throwable error, long now) {
    if (error != null) {
      failure = error;
      return Verdict.NOTHING;
    }
    if (state == State.HELD && now - deadlineNanos >= 0) {
      return new Verdict.Lost(NOT_RENEWED, true);
    }
    if (state == State.HELD) {
      return onRenewedHolder(madeAt, sentAt, reply, now);
    }
    if (state != State.WAITING) {
      return Verdict.NOTHING;
    }
    if (reply instanceof RenewReply.Held held) {
      clock.read(sentAt, held.grant().nowMicros());
      return onGrant(held.grant(), false, now);
    }
    if (reply instanceof RenewReply.Waiting waiting) {
      clock.read(sentAt, waiting.contention().nowMicros());
      onWaiting(waiting.contention(), now);
      return Verdict.WAITING;
    }
    return Verdict.FORGOTTEN;
  }

  private Verdict onRenewedHolder(long madeAt, long sentAt, @Nullable RenewReply reply, long now) {
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
    clock.read(sentAt, held.grant().nowMicros());
    failure = null;
    mustTell &= madeAt - changedNanos < 0;
    Grant grant = believed(held.grant());
    extend(clock.deadline(grant, now));
    provisional = renewsNext() && isShort(held.grant());
    if (renewsNext() || bounded) {
      setRenewal(held.grant(), grant, sentAt);
    } else if (!mustTell) {
      wakeNanos = deadlineNanos;
    }
    return Verdict.NOTHING;
  }

  Verdict onSignal(Signal signal, long now) {
    boolean open = state == State.ASKING || state == State.WAITING;
    if (signal instanceof Signal.Granted granted) {
      return open ? onGrant(granted.grant(), false, now) : Verdict.NOTHING;
    }
    if (signal instanceof Signal.Done done) {
      return open ? new Verdict.Done(done.mark()) : Verdict.NOTHING;
    }
    if (signal instanceof Signal.Evicted) {
      boolean holds = state == State.HELD || state == State.KEPT;
      return holds ? new Verdict.Lost(BY_FORCE, false) : Verdict.NOTHING;
    }
    if (signal instanceof Signal.Lost lost) {
      return state == State.HELD || state == State.KEPT
          ? new Verdict.Lost(lost.reason(), false)
          : state == State.WAITING ? Verdict.FORGOTTEN : Verdict.NOTHING;
    }
    if (state == State.ASKING && underWay > 0) {
      changed |= !inLine; // It is asked for again when that answer is there.
      return Verdict.NOTHING;
    }
    if (state == State.WAITING) {
      wakeNanos = now;
    }
    return state == State.ASKING ? Verdict.ASK : Verdict.NOTHING;
  }

  // The end.

  /** Ends the claim here; the caller sees to it that the store is told. */
  void end() {
    state = State.ENDED;
  }

  Command.Release release() {
    return release(OptionalLong.empty(), Command.MIN_KEEP_MICROS);
  }

  Command.Release release(OptionalLong reached, long keepMicros) {
    return new Command.Release(
        request.name(), id, usedToken, reached, keepMicros, isAnswerOutstanding());
  }

  Command.Cancel cancel() {
    return new Command.Cancel(request.name(), id, isAnswerOutstanding());
  }

  /** Returns the grant that is given up with the acquire, while the store may still have it. */
  Command.@Nullable Release predecessor() {
    return predecessor;
  }

  // What is known.

  State state() {
    return state;
  }

  long grantedNanos() {
    return grantedNanos;
  }

  /**
   * Tells whether the store has made it wait or refused it, so that another would fare no better.
   */
  boolean isHeldUp() {
    return state == State.WAITING || busyReplies > 0;
  }

  /** Whether a copy of the acquire may still be under way, or have taken effect unheard. */
  boolean isAnswerOutstanding() {
    return sent > answered;
  }

  /** Whether the store was silent the last time it was asked, so that nobody knows who holds it. */
  boolean isInDoubt(long now) {
    return failure != null
        || !clock.isRead()
        || silenceNanos(now) > longestSilence() + pace.attemptNanos();
  }

  private long longestSilence() {
    return Pace.pollNanos(contention == null ? 0 : contention.ahead());
  }

  boolean hasBeenAnswered() {
    return clock.isRead();
  }

  /** Returns why there is no answer, as far as that is known. */
  @Nullable Throwable failure(String store) {
    return failure != null || !isAnswerOutstanding()
        ? failure
        : new OutcomeUnknownException("no answer from " + store, null);
  }

  @Nullable Contention contention() {
    return contention;
  }

  /** Returns how old the last answer of the store is. */
  long silenceNanos(long now) {
    return now - clock.askedNanos();
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    return clock.microsAt(nanos);
  }
}
