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
 * The conversation with the store about one claim: asking until it is answered, polling while it
 * waits, renewing while it holds, and noticing when it is lost.
 *
 * <pre>
 *   ASKING ──granted──────────────▶ HELD ──lost, ended──▶ OVER
 *     │  ▲                           ▲                      ▲
 *     │  └─busy (store has no queue) │ signal or poll       │
 *     └──queued──▶ WAITING ──────────┴──gone, ended─────────┘
 * </pre>
 *
 * All of it is guarded by the lock of the {@link LocalQueue} it belongs to, except for the
 * deadline, which a lease reads at any time. What it finds out it tells the queue.
 */
final class Claim extends Timed {

  enum State {
    ASKING,
    WAITING,
    HELD,
    OVER
  }

  final ClaimId id;
  final Request request;
  private final Engine engine;

  /** Changes once at most, when a writer becomes a reader; read it again after locking it. */
  volatile LocalQueue queue;

  /** When the node stops counting on the grant (I2). */
  volatile long deadlineNanos;

  State state = State.ASKING;
  int permits;
  long grantedNanos;

  /** The highest token anybody was given under this grant. */
  long usedToken;

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

  /** Whether the store is to be told of a change that came at {@code newsNanos}. */
  private boolean news;

  private long newsNanos;

  Claim(Engine engine, LocalQueue queue, Request request, Command.@Nullable Release predecessor) {
    this.engine = engine;
    this.queue = queue;
    this.request = request;
    this.permits = request.permits();
    this.predecessor = predecessor;
    this.id = engine.nextClaimId();
  }

  // Asking.

  void ask(String actor, boolean wait, Afterwards after) {
    Command.Acquire acquire =
        new Command.Acquire(
            request.name(),
            id,
            request.permits(),
            request.capacity(),
            request.leaseMicros(),
            request.span(),
            request.mark(),
            wait,
            request.options().fair(),
            engine.label(),
            actor);
    Command.Release before = predecessor;
    long sentAt = engine.now();
    clock.ask(sentAt);
    sent++;
    underWay++;
    changed = false;
    askedToWait = wait;
    inLine = true;
    engine.timers().set(this, sentAt + engine.pace().attemptNanos());
    after.add(
        mayBlock ->
            engine.whenDone(
                engine.call(
                    mayBlock,
                    store -> {
                      inLine = false;
                      return before == null
                          ? store.acquire(acquire)
                          : store.yieldGrant(new Command.Yield(before, acquire));
                    }),
                (reply, error) -> queue.turn(this, then -> onAnswer(sentAt, reply, error, then))));
  }

  /** Takes an answer to one of the acquires; the queue has its lock. */
  private void onAnswer(
      long sentAt, @Nullable AcquireReply reply, @Nullable Throwable error, Afterwards after) {
    underWay--;
    boolean unknown = error != null && Failures.isOutcomeUnknown(error);
    if (!unknown) {
      answered++;
    }
    if (state == State.OVER) {
      return; // Whatever it took is given up by the ending that is under way.
    }
    if (error != null) {
      onFailedAsk(error, after);
    } else if (reply instanceof AcquireReply.Granted granted) {
      clock.read(sentAt, granted.grant().nowMicros());
      onGrant(granted.grant(), after);
    } else if (state == State.HELD) {
      return; // An answer from before the grant, overtaken by the signal of it.
    } else if (reply instanceof AcquireReply.Queued queued) {
      clock.read(sentAt, queued.contention().nowMicros());
      predecessor = null;
      onWaiting(queued.contention());
      queue.onWaiting(after);
    } else if (reply instanceof AcquireReply.Busy busy) {
      clock.read(sentAt, busy.contention().nowMicros());
      predecessor = null;
      contention = busy.contention();
      busyReplies++;
      engine.timers().set(this, engine.now() + busyDelay(busy.contention()));
      queue.onBusy(!askedToWait || changed, after);
    } else if (reply instanceof AcquireReply.Done done) {
      over();
      queue.onDone(done.mark(), after);
    }
  }

  private void onFailedAsk(Throwable error, Afterwards after) {
    if (state != State.ASKING) {
      return; // A copy of the acquire failed, another one was answered.
    }
    failure = error;
    if (!Failures.isOfTheStore(error) || isHopeless(engine.now())) {
      queue.onFailed(error, after);
    } else {
      engine.timers().set(this, engine.now() + engine.pace().retryDelay(sent));
    }
  }

  // Waiting.

  private void onWaiting(Contention now) {
    state = State.WAITING;
    contention = now;
    failure = null;
    long poll = engine.pace().pollDelay(now.ahead());
    if (now.holders() > 0 && now.ahead() < Pace.FAR_AHEAD) {
      // I6: ask when the holder's lease ends, the first in line first.
      long expiry =
          (now.untilMicros() - now.nowMicros()) * 1_000 + (now.ahead() + 1L) * Pace.GRACE_NANOS;
      poll = Math.min(poll, Math.max(expiry, Pace.GRACE_NANOS));
    }
    engine.timers().set(this, engine.now() + poll);
  }

  private long busyDelay(Contention now) {
    long delay = engine.pace().retryDelay(Math.min(busyReplies, 4));
    long expiry = (now.untilMicros() - now.nowMicros()) * 1_000 + Pace.GRACE_NANOS;
    return now.holders() == 0 ? delay : Math.min(delay, Math.max(expiry, Pace.GRACE_NANOS));
  }

  // Holding.

  private void onGrant(Grant told, Afterwards after) {
    Grant grant = believed(told);
    long now = engine.now();
    long deadline = clock.deadline(grant, now);
    if (state == State.HELD && !isHeldAt(now)) {
      queue.onLost("it could not be renewed in time", true, after);
      return;
    }
    if (state == State.HELD) {
      extend(deadline);
      return;
    }
    state = State.HELD;
    predecessor = null;
    failure = null;
    grantedNanos = now;
    usedToken = grant.token() - 1;
    lastToken = grant.token() + grant.span() - 1;
    deadlineNanos = deadline;
    if (grantedNanos - deadline >= 0) {
      queue.onLost("the grant arrived after it had ended", true, after);
      return;
    }
    // By the age of the lease: the news of it may have been long under way.
    setRenewal(grant, earlier(grantedNanos, deadline - ClockReading.lasts(grant)));
    queue.onGranted(after);
  }

  /**
   * Returns what to count on: never more than was asked for. A store whose clock was set back keeps
   * a claim for as much longer, and no longer at all when the clock is set right again (I2).
   */
  private Grant believed(Grant told) {
    long mostMicros = told.nowMicros() + request.leaseMicros();
    return told.untilMicros() <= mostMicros
        ? told
        : new Grant(told.claim(), told.token(), told.span(), mostMicros, told.nowMicros());
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
  private void setRenewal(Grant grant, long baseNanos) {
    provisional = grant.untilMicros() - grant.nowMicros() < request.leaseMicros();
    long due = deadlineNanos;
    if (renewsNext()) {
      long length = ClockReading.lasts(grant);
      // Rounded to a grid, so that leases taken one after the other are renewed together (I9).
      long grid = Math.max(1, length / 16);
      due = earlier(due, Math.floorDiv(baseNanos + length / 3, grid) * grid);
    }
    engine.timers().set(this, due);
  }

  private boolean renewsNext() {
    return request.options().renewal() || provisional;
  }

  boolean hasTokens() {
    return usedToken < lastToken;
  }

  boolean isHeldAt(long now) {
    return state == State.HELD && now - deadlineNanos < 0;
  }

  // Timers, renewals and signals.

  @Override
  void fire(long now, RenewalBatch batch) {
    queue.turn(this, after -> onTimer(now, batch, after));
  }

  /** Does what is due; the queue has its lock. */
  private void onTimer(long now, RenewalBatch batch, Afterwards after) {
    switch (state) {
      case ASKING -> {
        long left = hopelessNanos() - now;
        if (left <= 0) {
          queue.onFailed(failure, after);
        } else if (left < engine.pace().attemptNanos() / 4) {
          // A copy that cannot be answered in time would only leave doubt behind (I11).
          engine.timers().set(this, hopelessNanos());
        } else if (inLine) {
          engine.timers().set(this, now + engine.pace().attemptNanos());
        } else {
          queue.ask(this, after);
        }
      }
      case WAITING -> {
        if (isHopeless(now)) {
          queue.onFailed(failure, after);
        } else {
          renew(batch);
          engine.timers().set(this, now + engine.pace().pollAttemptNanos());
        }
      }
      case HELD -> {
        if (now - deadlineNanos >= 0) {
          queue.onLost("it could not be renewed in time", true, after);
        } else if (queue.isOwnerDead()) {
          queue.onOwnerDead(after);
        } else if (renewsNext() || news) {
          renew(batch);
          long retry = Math.min(engine.pace().attemptNanos(), request.leaseMicros() * 100);
          engine.timers().set(this, earlier(deadlineNanos, now + retry));
        } else {
          engine.timers().set(this, deadlineNanos);
        }
      }
      case OVER -> {}
    }
  }

  /** When the store will have been silent for longer than a call is willing to bear. */
  private long hopelessNanos() {
    Pace pace = engine.pace();
    return clock.askedNanos()
        + (clock.isRead() ? longestSilence() + pace.patienceNanos() : pace.responseNanos());
  }

  private boolean isHopeless(long now) {
    return now - hopelessNanos() >= 0;
  }

  private static long earlier(long a, long b) {
    return a - b < 0 ? a : b;
  }

  private void renew(RenewalBatch batch) {
    if (!renewalInLine) {
      batch.add(this, renewal());
      renewalInLine = true;
    }
  }

  /** A renewal; of a lease that is not to be renewed, one that brings news and no time. */
  private Command.Renew renewal() {
    long leaseMicros = state == State.HELD && !renewsNext() ? 1 : request.leaseMicros();
    return new Command.Renew(request.name(), id, permits, leaseMicros, queue.actor());
  }

  /** The renewal that was made last is on its way; another one may be made. */
  void onRenewalSent() {
    renewalInLine = false;
  }

  /** Takes the answer to a renewal or a poll. */
  void renewed(RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error) {
    queue.turn(this, after -> onRenewed(call, reply, error, after));
  }

  private void onRenewed(
      RenewalCall call, @Nullable RenewReply reply, @Nullable Throwable error, Afterwards after) {
    long now = engine.now();
    long sentAt = call.sentNanos();
    if (error != null) {
      failure = error;
    } else if (state == State.HELD && now - deadlineNanos >= 0) {
      queue.onLost("it could not be renewed in time", true, after);
    } else if (reply instanceof RenewReply.Held held) {
      clock.read(sentAt, held.grant().nowMicros());
      if (state == State.WAITING) {
        onGrant(held.grant(), after);
      } else if (state == State.HELD) {
        failure = null;
        news &= call.madeNanos() - newsNanos < 0;
        if (renewsNext()) {
          Grant grant = believed(held.grant());
          extend(clock.deadline(grant, now));
          setRenewal(grant, sentAt);
        } else if (!news) {
          engine.timers().set(this, deadlineNanos);
        }
      }
    } else if (reply instanceof RenewReply.Waiting waiting && state == State.WAITING) {
      clock.read(sentAt, waiting.contention().nowMicros());
      onWaiting(waiting.contention());
    } else if (reply instanceof RenewReply.Gone && state == State.HELD) {
      queue.onLost(
          "the store no longer knew it: it had ended there, or was released by force",
          false,
          after);
    } else if (reply instanceof RenewReply.Gone && state == State.WAITING) {
      queue.onForgotten(after);
    }
  }

  void onSignal(Signal signal, Afterwards after) {
    if (signal instanceof Signal.Granted granted) {
      if (state == State.ASKING || state == State.WAITING) {
        onGrant(granted.grant(), after);
      }
    } else if (signal instanceof Signal.Done done) {
      if (state == State.ASKING || state == State.WAITING) {
        over();
        queue.onDone(done.mark(), after);
      }
    } else if (signal instanceof Signal.Evicted) {
      if (state == State.HELD) {
        queue.onLost("it was released by force", false, after);
      }
    } else if (state == State.ASKING && underWay > 0) {
      changed |= !inLine; // It is asked for again when that answer is there.
    } else if (state == State.ASKING) {
      queue.ask(this, after);
    } else if (state == State.WAITING) {
      engine.timers().set(this, engine.now());
    }
  }

  /** Has the store told at once what has changed about this claim. */
  void renewNow() {
    if (state == State.HELD) {
      news = true;
      newsNanos = engine.now();
      engine.timers().set(this, newsNanos);
    }
  }

  // The end.

  /** Ends the claim here; the caller sees to it that the store is told. */
  void over() {
    state = State.OVER;
    engine.timers().cancel(this);
  }

  Command.Release release() {
    return release(OptionalLong.empty());
  }

  Command.Release release(OptionalLong reached) {
    return new Command.Release(request.name(), id, usedToken, reached, isAnswerOutstanding());
  }

  Command.Cancel cancel() {
    return new Command.Cancel(request.name(), id, isAnswerOutstanding());
  }

  /** Returns the grant that the store may still have if the yield never arrived. */
  Command.@Nullable Release unansweredPredecessor() {
    return predecessor;
  }

  /** Whether a copy of the acquire may still be under way, or have taken effect unheard. */
  boolean isAnswerOutstanding() {
    return sent > answered;
  }

  /** Whether the store was silent the last time it was asked, so that nobody knows who holds it. */
  boolean isInDoubt() {
    return failure != null
        || !clock.isRead()
        || silenceNanos() > longestSilence() + engine.pace().attemptNanos();
  }

  private long longestSilence() {
    return Pace.pollNanos(contention == null ? 0 : contention.ahead());
  }

  boolean hasBeenAnswered() {
    return clock.isRead();
  }

  @Nullable Throwable failure() {
    return failure != null || !isAnswerOutstanding()
        ? failure
        : new OutcomeUnknownException("no answer from " + engine.store().describe(), null);
  }

  @Nullable Contention contention() {
    return contention;
  }

  /** Returns how old the last answer of the store is. */
  long silenceNanos() {
    return engine.now() - clock.askedNanos();
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long storeMicros(long nanos) {
    return clock.microsAt(nanos);
  }
}
