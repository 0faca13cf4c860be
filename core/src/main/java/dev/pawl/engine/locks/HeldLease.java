package dev.pawl.engine.locks;

import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.threads.Shift;
import dev.pawl.spi.ClaimId;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** A lease of this node: one holder's turn under a claim. */
public final class HeldLease implements Lease {

  public enum State {
    HELD,
    CLOSED,
    LOST,
    /** Lost, and its owner has been told by {@link #close()}. */
    REPORTED
  }

  private final LocalClaim claim;
  private final long token;

  /** The thread that took it by a blocking call, which must not wait for it again. */
  public final @Nullable Thread owner;

  /** Whether the owner has to release it, and it is given up if the owner ends. */
  final boolean threadOwned;

  public final long sinceNanos;

  /** Changes under the queue's lock, is read at any time. */
  public volatile State state = State.HELD;

  private volatile @Nullable String lostReason;

  /** What to run when it is lost; guarded by the queue's lock. */
  private List<Runnable> onLost = List.of();

  /** Where it was called for, if that is remembered. */
  final @Nullable Throwable trace;

  /** What the user has of it, if he has it by a handle. */
  private volatile @Nullable WeakReference<LeaseHandle> handle;

  /** Whether there was a warning that it is held for long; guarded by the queue's lock. */
  private boolean warned;

  /** The body that works under it, of a job or an election. */
  private volatile @Nullable Shift shift;

  HeldLease(LocalClaim claim, long token, Caller caller, long sinceNanos) {
    this.claim = claim;
    this.token = token;
    this.owner = caller.thread;
    this.threadOwned = caller.threadOwned;
    this.sinceNanos = sinceNanos;
    this.trace = caller.trace;
  }

  /** Returns what a user gets of it; without that, he has forgotten it. */
  Lease handle() {
    LeaseHandle made = new LeaseHandle(this);
    handle = new WeakReference<>(made);
    return made;
  }

  /** Whether the user has let go of his handle without closing it. */
  boolean isForgotten() {
    WeakReference<LeaseHandle> had = handle;
    return had != null && had.refersTo(null);
  }

  /** Tells, once, that it is held for longer than it should be. The queue has its lock. */
  boolean isHeldForLong(long now) {
    boolean first = !warned && now - sinceNanos >= engine().vigilance().warnNanos();
    warned |= first;
    return first;
  }

  /** Returns who took it and how long ago, for a warning. */
  String taker() {
    return (owner == null ? "taken asynchronously " : "taken by thread " + owner.getName() + " ")
        + Refusals.text(engine().now() - sinceNanos)
        + " ago";
  }

  /** Does some work in this thread, which is interrupted if the lease is lost, or has been. */
  public <T extends @Nullable Object> T work(Shift work, Callable<T> body) throws Exception {
    work.begin();
    shift = work;
    if (state != State.HELD) {
      work.interrupt();
    }
    try {
      return body.call();
    } finally {
      work.end();
    }
  }

  public void interruptWork() {
    Shift work = shift;
    if (work != null) {
      work.interrupt();
    }
  }

  public LocalClaim claim() {
    return claim;
  }

  private Engine engine() {
    return claim.contender.engine();
  }

  public ClaimId claimId() {
    return claim.id;
  }

  public Request request() {
    return claim.request;
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  public long storeMicros(long nanos) {
    return claim.queue().storeMicros(nanos);
  }

  /** Takes it away from its holder in this node. */
  public void expire(String reason) {
    claim.queue().expire(this, reason);
  }

  /** Gives it up because a job's tick is done; null if it had been lost or closed before. */
  public <R> @Nullable Ending<R> finish(long mark, long keepMarkMicros, TickEnding<R> end) {
    return claim.queue().finish(this, mark, keepMarkMicros, end);
  }

  /** Has the store told what has changed about the thread behind it. */
  public void tellNow() {
    claim.queue().tellNow(this);
  }

  /** Whether the thread that has to release it has ended without doing so. */
  boolean isOwnerDead() {
    return threadOwned && owner != null && !owner.isAlive();
  }

  public boolean isRenewed() {
    return claim.request.options().renewal();
  }

  /** Whether it ends by itself within that time, because it is not renewed. */
  boolean endsWithin(long nanos) {
    return !isRenewed() && remaining().toNanos() < nanos;
  }

  /** Ends it as lost; returns what is to be run. The queue has its lock. */
  List<Runnable> lose(String reason) {
    lostReason = reason;
    state = State.LOST;
    if (threadOwned) {
      engine().holds().onLost();
    }
    return takeOnLost();
  }

  /** Returns what is to be run because it is lost, and keeps nothing of it. */
  List<Runnable> takeOnLost() {
    List<Runnable> actions = onLost;
    onLost = List.of();
    return actions;
  }

  /** Keeps an action for the loss; false if it has been lost already. The queue has its lock. */
  boolean addOnLost(Runnable action) {
    if (state == State.HELD) {
      onLost = Few.with(onLost, action);
    }
    return state == State.HELD || state == State.CLOSED;
  }

  /** Tells, once, whether it has been lost. The queue has its lock. */
  boolean reportLoss() {
    boolean lost = state == State.LOST;
    if (lost) {
      state = State.REPORTED;
    }
    return lost;
  }

  /** Tells whether it ended otherwise than by a release. */
  boolean isLost() {
    State now = state;
    return now == State.LOST || now == State.REPORTED || (now == State.HELD && !isHeld());
  }

  @Override
  public String name() {
    return claim.request.name();
  }

  @Override
  public long token() {
    return token;
  }

  @Override
  public boolean isHeld() {
    return state == State.HELD && engine().now() - claim.deadlineNanos() < 0;
  }

  @Override
  public Duration remaining() {
    long left = claim.deadlineNanos() - engine().now();
    return state == State.HELD && left > 0 ? Duration.ofNanos(left) : Duration.ZERO;
  }

  @Override
  public void ensureHeld() {
    if (!isHeld()) {
      throw state == State.CLOSED ? new LeaseLostException("lease " + this + " is closed") : lost();
    }
  }

  @Override
  public void confirm() {
    new LeaseTime(engine(), this).confirm();
  }

  @Override
  public void extend(Duration atLeast) {
    new LeaseTime(engine(), this).extend(atLeast);
  }

  @Override
  public void onLost(Runnable action) {
    claim.queue().onLostRun(this, Objects.requireNonNull(action, "action"));
  }

  @Override
  public void close() {
    engine().release(this);
  }

  @Override
  public void closeAfter(Duration keep) {
    new LeaseTime(engine(), this).closeAfter(keep);
  }

  public LeaseLostException lost() {
    String reason = lostReason;
    return lost(reason == null ? Claim.NOT_RENEWED : reason);
  }

  LeaseLostException lost(String reason) {
    return new LeaseLostException(
        "lease "
            + this
            + " was lost: "
            + reason
            + "; another may hold the name, and what was done under it may not have been alone");
  }

  @Override
  public String toString() {
    return "lock=" + Names.quote(name()) + " claim=" + claim.id + " token=" + token;
  }
}
