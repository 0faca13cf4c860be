package dev.pawl.engine.claims;

import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Pace;
import dev.pawl.engine.time.Timed;
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
 * sets no timer and calls nobody. Whoever made it does that, and looks at {@link #wakeNanos()}
 * after each event. What it counts of its acquires is in {@link Asking}, what a grant gives it in
 * {@link Tenure}. All of it is guarded by the lock of its queue, except for the deadline, which a
 * lease reads at any time, and the two flags of what stands in line for a thread.
 */
public abstract class Claim extends Timed {

  public enum State {
    ASKING,
    WAITING,
    HELD,
    /** The lease is closed, and the name kept for nobody until {@link #wakeNanos()}. */
    KEPT,
    ENDED
  }

  public static final String NOT_RENEWED = "it could not be renewed in time";
  private static final String BY_FORCE = "it was released by force";

  public final ClaimId id;
  public final Request request;
  private final Pace pace;
  final ClockReading clock = new ClockReading();
  private final Tenure tenure;

  /** None of a claim that is held and has all its answers: most are, and there may be many. */
  private @Nullable Asking asking;

  private State state = State.ASKING;
  long wakeNanos;

  /** Whether a renewal or a poll stands in line: a second one would make the line longer. */
  private volatile boolean renewalInLine;

  /**
   * Makes it, to be asked for.
   *
   * @param predecessor the one whose grant is given up with its acquire
   */
  protected Claim(ClaimId id, Request request, Pace pace, @Nullable Claim predecessor) {
    this.id = id;
    this.request = request;
    this.pace = pace;
    this.tenure = new Tenure(request);
    this.asking =
        predecessor == null
            ? new Asking(pace, null, 0)
            : new Asking(pace, predecessor.releaseCommand(), predecessor.longestNanos());
  }

  private Asking asking() {
    Asking known = asking;
    if (known == null) {
      known = new Asking(pace, null, 0);
      asking = known;
    }
    return known;
  }

  // Asking.

  /** Returns the acquire to be sent now. */
  public Command.Acquire ask(String label, String actor, boolean wait, long now) {
    clock.ask(now);
    wakeNanos = now + pace.attemptNanos();
    return asking().acquire(id, request, label, actor, wait);
  }

  /** The acquire that was made last is on its way; another one may be made. */
  public void onAcquireSent() {
    Asking known = asking;
    if (known != null) {
      known.onSent();
    }
  }

  /** Others have got the answers for which they stood in line with this one, the last one then. */
  public void onLineMoved(long nanos) {
    Asking known = asking;
    if (known != null) {
      known.onLineMoved(nanos);
    }
  }

  /** Takes the answer to one of the acquires. */
  public Verdict onAnswer(long sentAt, AcquireReply reply, long now) {
    Asking asked = asking();
    asked.onAnswer();
    if (state == State.ENDED || state == State.KEPT) {
      return Verdict.NOTHING; // Whatever it took is given up by the ending that is under way.
    }
    if (reply instanceof AcquireReply.Granted granted) {
      clock.read(sentAt, granted.grant().nowMicros());
      return onGrant(granted.grant(), state == State.ASKING && !asked.isRefused(), now);
    }
    if (reply instanceof AcquireReply.Ended) { // Nobody ends a claim but its node, and people.
      return state == State.HELD ? new Verdict.Lost(BY_FORCE, false) : Verdict.FORGOTTEN;
    }
    if (state == State.HELD) {
      return Verdict.NOTHING; // An answer from before the grant, overtaken by the signal of it.
    }
    asked.onSeen();
    if (reply instanceof AcquireReply.Queued queued) {
      clock.read(sentAt, queued.contention().nowMicros());
      return onWaiting(queued.contention(), sentAt, now);
    }
    if (reply instanceof AcquireReply.Busy busy) {
      clock.read(sentAt, busy.contention().nowMicros());
      wakeNanos = asked.onBusy(busy.contention(), now);
      return new Verdict.Busy(asked.isToBeAskedAgain());
    }
    return new Verdict.Done(((AcquireReply.Done) reply).mark());
  }

  private Verdict onWaiting(Contention seen, long sentAt, long now) {
    state = State.WAITING;
    wakeNanos = asking().onWaiting(seen, sentAt, now);
    return Verdict.WAITING;
  }

  /** One of the acquires failed. */
  public Verdict onFailure(Throwable error, long now) {
    Asking asked = asking();
    asked.onFailure(error);
    if (state != State.ASKING) {
      return Verdict.NOTHING; // A copy of the acquire failed, another one was answered.
    }
    asked.fail(error);
    if (!Failures.isOfTheStore(error) || asked.isHopeless(clock, now)) {
      return new Verdict.Failed(error);
    }
    wakeNanos = now + asked.retryDelay();
    return Verdict.NOTHING;
  }

  // Holding.

  private Verdict onGrant(Grant told, boolean atOnce, long now) {
    Grant grant = tenure.believed(told);
    long deadline = clock.deadline(grant, now);
    if (state == State.HELD) {
      return tenure.onGrantAgain(grant, deadline, now);
    }
    state = State.HELD;
    tenure.begin(grant, deadline, now);
    asking = isAnswerOutstanding() ? asking().granted() : null;
    if (now - deadline >= 0) {
      return new Verdict.Lost("the grant arrived after it had ended", true);
    }
    wakeNanos = tenure.firstDue(request, told, grant, now);
    return new Verdict.Granted(atOnce);
  }

  /** Takes the next token of the grant, for whoever is given the name now. */
  public long takeToken() {
    return tenure.takeToken();
  }

  /** Tells whether the grant may go on to another caller of this node, within the budget of I7. */
  public boolean mayPass(long now) {
    return tenure.mayPass(request, now);
  }

  /** Keeps the name for nobody until then: it is not renewed any more, and only a timer ends it. */
  public void keepUntil(long nanos) {
    state = State.KEPT;
    wakeNanos = nanos;
  }

  /** Goes on as a shared claim, which the store is told at once. */
  public void downgrade(long now) {
    tenure.downgrade();
    tellNow(now);
  }

  /** Has the store told at once what has changed about this claim. */
  public void tellNow(long now) {
    if (state == State.HELD) {
      tenure.tell(now);
      wakeNanos = now;
    }
  }

  // Timers, renewals and signals.

  /** When it is to be looked at again, unless something happens before. */
  public long wakeNanos() {
    return wakeNanos;
  }

  public Verdict onTimer(long now) {
    return switch (state) {
      case ASKING -> asking().onTimer(this, now);
      case WAITING -> asking().onPollTimer(this, now);
      case HELD -> tenure.onTimer(this, pace.attemptNanos(), now);
      default -> Verdict.NOTHING;
    };
  }

  /**
   * Returns the renewal to be sent; of a lease that is not to be renewed, one that tells of a
   * change and brings no time. Null if one stands in line already.
   */
  public Command.@Nullable Renew renewCommand(String actor) {
    if (renewalInLine) {
      return null;
    }
    renewalInLine = true;
    return tenure.renew(this, actor);
  }

  /** Returns a renewal that somebody waits for; zero is no more time than usual. */
  public Command.Renew renewCommand(String actor, long micros) {
    return tenure.renew(this, actor, micros);
  }

  /** The renewal that was made last is on its way; another one may be made. */
  public void onRenewalSent() {
    renewalInLine = false;
  }

  /** Takes the answer to a renewal or a poll. */
  public Verdict onRenewed(
      long madeAt, long sentAt, @Nullable RenewReply reply, @Nullable Throwable error, long now) {
    if (error != null) {
      renewalInLine = false; // It may have failed for want of a thread, and not been sent at all.
      if (state != State.WAITING) {
        return Verdict.NOTHING;
      }
      asking().fail(error);
      return Failures.isOfTheStore(error) ? Verdict.NOTHING : new Verdict.Failed(error);
    }
    if (state == State.HELD) {
      return tenure.onRenewed(this, madeAt, sentAt, reply, now);
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
      return onWaiting(waiting.contention(), sentAt, now);
    }
    return Verdict.FORGOTTEN;
  }

  public Verdict onSignal(Signal signal, long now) {
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
      // A grant that was answered before, and is on its way, must not come to life after this.
      return state == State.HELD || state == State.KEPT
          ? new Verdict.Lost(lost.reason(), false, lost.told())
          : open ? Verdict.FORGOTTEN : Verdict.NOTHING;
    }
    if (signal instanceof Signal.Summoned && open) {
      asking().onSummoned(now);
    }
    if (state == State.ASKING && asking().isUnderWay()) {
      asking().onChanged();
      return Verdict.NOTHING;
    }
    if (state == State.WAITING) {
      wakeNanos = now;
    }
    return state == State.ASKING ? Verdict.ASK : Verdict.NOTHING;
  }

  // The end.

  /** Ends the claim here; the caller sees to it that the store is told. */
  public void end() {
    state = State.ENDED;
  }

  public Command.Release releaseCommand() {
    return releaseCommand(OptionalLong.empty(), Command.MIN_KEEP_MICROS);
  }

  public Command.Release releaseCommand(OptionalLong reached, long keepMicros) {
    return new Command.Release(
        request.name(), id, tenure.usedToken(), reached, keepMicros, isAnswerOutstanding());
  }

  public Command.Cancel cancelCommand() {
    return new Command.Cancel(request.name(), id, isAnswerOutstanding());
  }

  /** Returns the grant that is given up with the acquire, while the store may still have it. */
  public Command.@Nullable Release predecessor() {
    return asking == null ? null : asking.predecessor();
  }

  /** Returns the longest time for which the store may have it, or the grant it takes over from. */
  public long longestNanos() {
    long taken = asking == null ? 0 : asking.predecessorNanos();
    return Math.max(tenure.longestNanos(), taken);
  }

  // What is known.

  public State state() {
    return state;
  }

  public long grantedNanos() {
    return tenure.grantedNanos();
  }

  /** When the node stops counting on the grant (I2). */
  public long deadlineNanos() {
    return tenure.deadlineNanos();
  }

  public boolean isHeldAt(long now) {
    return state == State.HELD && tenure.lastsAt(now);
  }

  /** Tells whether it was not to be renewed, and has lasted as long as it was to. */
  public boolean hasRunOut(long now) {
    return state == State.HELD && tenure.hasRunOut(request, now);
  }

  /** Tells whether the store would certainly grant the name to nobody else now. */
  public boolean isCertainAt(long now) {
    return (state == State.HELD || state == State.KEPT) && tenure.lastsAt(now);
  }

  /**
   * Tells whether the store has made it wait or refused it, so that another would fare no better.
   */
  public boolean isHeldUp() {
    return state == State.WAITING || (asking != null && asking.isRefused());
  }

  /** Whether a copy of the acquire may still be under way, or have taken effect unheard. */
  public boolean isAnswerOutstanding() {
    return asking != null && asking.isAnswerOutstanding();
  }

  /** Whether the store was silent the last time it was asked, so that nobody knows who holds it. */
  public boolean isInDoubt(long now) {
    return asking().isInDoubt(clock, now);
  }

  public boolean hasBeenAnswered() {
    return clock.isRead();
  }

  /** Tells whether an answer may still come: the store has been silent, and not full of errors. */
  public boolean mayBeAnswered() {
    return state == State.ASKING && !hasBeenAnswered() && !asking().keepsFailing();
  }

  /** Returns why there is no answer, as far as that is known. */
  public @Nullable Throwable failure(String store) {
    return asking().failure(store);
  }

  public @Nullable Contention contention() {
    return asking == null ? null : asking.contention();
  }

  /** Returns how old the last answer of the store is. */
  public long silenceNanos(long now) {
    return now - clock.askedNanos();
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  public long storeMicros(long nanos) {
    return clock.microsAt(nanos);
  }
}
