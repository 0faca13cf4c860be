package dev.pawl.engine.claims;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Pace;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import org.jspecify.annotations.Nullable;

/**
 * The acquires of one claim until it is granted: what was sent, what was answered, and when to ask
 * again. Guarded by the lock of the claim's queue, except for the flag of what stands in line.
 */
final class Asking {

  /** After so many errors in a row a call does not wait beyond its time for a better answer. */
  private static final int ENOUGH_FAILURES = 3;

  private final Pace pace;

  /**
   * The grant that is given up with the first acquire, for a claim that takes over from another.
   */
  private Command.@Nullable Release predecessor;

  /** How long the store may have that grant. */
  private final long predecessorNanos;

  private int sent;
  private int answered;

  /** How many acquires have neither been answered nor failed. */
  private int underWay;

  /** Whether the name has changed hands since the last acquire was sent. */
  private boolean changed;

  /** Whether it is to show life, and since when: an answer to what was sent before is older. */
  private boolean summoned;

  private long summonedNanos;

  private @Nullable Throwable failure;
  private int failures;
  private @Nullable Contention contention;
  private int busyReplies;

  /** Whether an acquire stands in line for a thread: a second one would make the line longer. */
  private volatile boolean inLine;

  /** When the line in which an acquire stands has moved: a store that answers is not silent. */
  private long lineMovedNanos;

  private boolean lineMoved;

  /** Whether the last acquire wanted a place in the queue. */
  private boolean askedToWait;

  Asking(Pace pace, Command.@Nullable Release predecessor, long predecessorNanos) {
    this.pace = pace;
    this.predecessor = predecessor;
    this.predecessorNanos = predecessorNanos;
  }

  // What happens.

  /** Returns the acquire to be sent now. */
  Command.Acquire acquire(ClaimId id, Request request, String label, String actor, boolean wait) {
    sent++;
    underWay++;
    changed = false;
    askedToWait = wait;
    inLine = true;
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

  void onSent() {
    inLine = false;
  }

  void onLineMoved(long nanos) {
    if (inLine) {
      lineMovedNanos = nanos;
      lineMoved = true;
    }
  }

  void onAnswer() {
    underWay--;
    answered++;
  }

  void onFailure(Throwable error) {
    inLine = false; // It may have failed for want of a thread, and not been sent at all.
    underWay--;
    if (!Failures.isOutcomeUnknown(error)) {
      answered++;
    }
  }

  /** The store has seen the claim, and the grant before it is given up. */
  void onSeen() {
    predecessor = null;
  }

  /** Takes that the claim waits; returns when to poll. */
  long onWaiting(Contention seen, long sentAt, long now) {
    contention = seen;
    failure = null;
    failures = 0;
    summoned &= sentAt - summonedNanos < 0;
    if (summoned) {
      return now;
    }
    long poll = pace.pollDelay(seen.ahead());
    if (seen.holders() > 0 && seen.ahead() < Pace.FAR_AHEAD) {
      // I6: ask when the holder's lease ends, the first in line first.
      long expiry =
          (seen.untilMicros() - seen.nowMicros()) * 1_000 + (seen.ahead() + 1L) * Pace.GRACE_NANOS;
      poll = Math.min(poll, Math.max(expiry, Pace.GRACE_NANOS));
    }
    return now + poll;
  }

  /** Takes that somebody else has the name; returns when to ask again. */
  long onBusy(Contention seen, long now) {
    contention = seen;
    busyReplies++;
    long delay = pace.retryDelay(Math.min(busyReplies, 4));
    long expiry = (seen.untilMicros() - seen.nowMicros()) * 1_000 + Pace.GRACE_NANOS;
    return now
        + (seen.holders() == 0 ? delay : Math.min(delay, Math.max(expiry, Pace.GRACE_NANOS)));
  }

  /** The name has changed hands: it is asked for again when the answer under way is there. */
  void onChanged() {
    changed |= !inLine;
  }

  void onSummoned(long now) {
    summoned = true;
    summonedNanos = now;
  }

  void fail(Throwable error) {
    failure = error;
    failures++;
  }

  /** The claim is granted, though copies of its acquire may still be under way. */
  Asking granted() {
    predecessor = null;
    failure = null;
    return this;
  }

  /** The answer to an acquire is late. */
  Verdict onTimer(Claim claim, long now) {
    long hopeless = hopelessNanos(claim.clock);
    long left = hopeless - now;
    if (left <= 0) {
      return new Verdict.Failed(failure);
    }
    if (left < pace.attemptNanos() / 4) {
      // A copy that cannot be answered in time would only leave doubt behind (I11).
      claim.wakeNanos = hopeless;
      return Verdict.NOTHING;
    }
    claim.wakeNanos = now + pace.attemptNanos();
    return inLine ? Verdict.NOTHING : Verdict.ASK;
  }

  /** A poll is due, or its answer is late. */
  Verdict onPollTimer(Claim claim, long now) {
    if (isHopeless(claim.clock, now)) {
      return new Verdict.Failed(failure);
    }
    claim.wakeNanos = now + pace.pollAttemptNanos();
    return Verdict.RENEW;
  }

  // What is known.

  boolean isUnderWay() {
    return underWay > 0;
  }

  /** Whether a copy of the acquire may still be under way, or have taken effect unheard. */
  boolean isAnswerOutstanding() {
    return sent > answered;
  }

  /** Tells whether the store is there, and answers with errors. */
  boolean keepsFailing() {
    return failures >= ENOUGH_FAILURES;
  }

  boolean isRefused() {
    return busyReplies > 0;
  }

  /** Tells whether to ask again now, and not only after the back-off. */
  boolean isToBeAskedAgain() {
    return !askedToWait || changed;
  }

  Command.@Nullable Release predecessor() {
    return predecessor;
  }

  long predecessorNanos() {
    return predecessor == null ? 0 : predecessorNanos;
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

  long retryDelay() {
    return pace.retryDelay(sent);
  }

  /** Whether the store was silent the last time it was asked, so that nobody knows who holds it. */
  boolean isInDoubt(ClockReading clock, long now) {
    return failure != null
        || !clock.isRead()
        || now - clock.askedNanos() > longestSilence() + pace.attemptNanos();
  }

  boolean isHopeless(ClockReading clock, long now) {
    return now - hopelessNanos(clock) >= 0;
  }

  /** When the store will have been silent for longer than a call is willing to bear. */
  private long hopelessNanos(ClockReading clock) {
    long asked = clock.askedNanos();
    boolean movedLater = lineMoved && lineMovedNanos - asked > 0;
    return (movedLater ? lineMovedNanos : asked)
        + (clock.isRead() ? longestSilence() + pace.patienceNanos() : pace.responseNanos());
  }

  private long longestSilence() {
    return Pace.pollNanos(contention == null ? 0 : contention.ahead());
  }
}
