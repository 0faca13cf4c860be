package dev.pawl.engine.locks;

import dev.pawl.DeadlockException;
import dev.pawl.DistributedLock;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.locks.ThreadHolds.Hold;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

/** A lock of a node: immutable, so that its handles may be shared and thrown away. */
public final class NodeLock implements DistributedLock {

  private final Engine engine;
  private final Calls calls;
  private final ThreadHolds holds;
  private final Request request;

  public NodeLock(Engine engine, Request request) {
    this.engine = engine;
    this.calls = new Calls(engine);
    this.holds = engine.holds();
    this.request = request;
  }

  @Override
  public String name() {
    return request.name();
  }

  @Override
  public LockOptions options() {
    return request.options();
  }

  // Held by a lease.

  @Override
  public Lease acquire() throws InterruptedException {
    refuseUpgrade(Caller.NO_DEADLINE);
    return calls.acquire(request);
  }

  @Override
  public Lease acquire(Duration wait) throws InterruptedException {
    refuseUpgrade(Calls.nanos(wait));
    return calls.acquire(request, wait);
  }

  @Override
  public Optional<Lease> tryAcquire() {
    return calls.tryAcquire(request);
  }

  @Override
  public Optional<Lease> tryAcquire(Duration wait) throws InterruptedException {
    refuseUpgrade(Calls.nanos(wait));
    return calls.tryAcquire(request, wait);
  }

  @Override
  public CompletableFuture<Lease> acquireAsync(Duration wait) {
    return calls.acquireAsync(request, wait);
  }

  // Held by the thread.

  @Override
  public void lock() {
    if (!enterAgain()) {
      refuseUpgrade(Caller.NO_DEADLINE);
      hold(calls.granted(calls.uninterrupted(request, true, Caller.NO_DEADLINE)));
    }
  }

  @Override
  public void lockInterruptibly() throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (!enterAgain()) {
      refuseUpgrade(Caller.NO_DEADLINE);
      hold(calls.granted(calls.call(request, true, Caller.NO_DEADLINE, true)));
    }
  }

  @Override
  public boolean tryLock() {
    return enterAgain() || hold(calls.optional(calls.uninterrupted(request, true, 0)));
  }

  @Override
  public boolean tryLock(long time, TimeUnit unit) throws InterruptedException {
    Objects.requireNonNull(unit, "unit");
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
    if (enterAgain()) {
      return true;
    }
    long nanos = unit.toNanos(time);
    refuseUpgrade(nanos);
    return hold(calls.optional(calls.call(request, true, nanos, true)));
  }

  @Override
  public void unlock() {
    Hold hold = myHold();
    if (--hold.count == 0) {
      end(hold);
    }
    refuseIfLost(hold); // Every unlock says so: each is the end of something that was not alone.
  }

  private void end(Hold hold) {
    holds.remove(name(), isShared());
    Hold other = holds.mine(name(), !isShared());
    boolean together = other != null && other.lease == hold.lease;
    if (!together) {
      engine.release(hold.lease);
    } else if (!isShared()) {
      hold.lease.claim().queue().downgrade(hold.lease);
    }
  }

  private void refuseIfLost(Hold hold) {
    if (hold.lease.isLost()) {
      hold.tell(engine.now());
      throw hold.lease.lost();
    }
  }

  /** Counts one more if the thread holds the lock; a writer may read as well. */
  private boolean enterAgain() {
    if (engine.isClosed()) {
      throw engine.closedException();
    }
    Hold mine = holds.mine(name(), isShared());
    if (mine != null && !isGone(mine)) {
      mine.count = Math.incrementExact(mine.count);
      return true;
    }
    Hold writing = isShared() ? holds.mine(name(), false) : null;
    if (writing != null && !isGone(writing)) {
      holds.put(name(), true, new Hold(writing.lease));
      return true;
    }
    return false;
  }

  /** Tells whether a hold was lost; the first to find out is told by an exception. */
  private boolean isGone(Hold hold) {
    boolean gone = !hold.lease.isHeld();
    if (gone && hold.tell(engine.now())) {
      throw hold.lease.lost();
    }
    return gone;
  }

  /** Refuses to wait for the write lock while the thread reads, and does not write already. */
  private void refuseUpgrade(long waitNanos) {
    Hold reading = isShared() || waitNanos <= 0 ? null : holds.mine(name(), true);
    Hold writing = holds.mine(name(), false);
    if (reading != null && reading.lease.isHeld() && (writing == null || !writing.lease.isHeld())) {
      throw new DeadlockException(
          "thread "
              + Thread.currentThread().getName()
              + " holds the read lock of "
              + Names.quote(name())
              + " and wants the write lock: two such readers would wait for each other. Unlock the"
              + " read lock first, or take the write lock from the start");
    }
  }

  private void hold(HeldLease lease) {
    holds.put(name(), isShared(), new Hold(lease));
  }

  private boolean hold(Optional<HeldLease> lease) {
    lease.ifPresent(this::hold);
    return lease.isPresent();
  }

  private Hold myHold() {
    Hold mine = holds.mine(name(), isShared());
    if (mine == null) {
      throw new IllegalMonitorStateException(
          "thread "
              + Thread.currentThread().getName()
              + " does not hold "
              + Names.quote(name())
              + " by lock()");
    }
    return mine;
  }

  private boolean isShared() {
    return !request.isExclusive();
  }

  @Override
  public Condition newCondition() {
    throw new UnsupportedOperationException(
        "a distributed lock has no conditions: no store has a queue for them. Wait for the thing"
            + " itself, in the store where it lives");
  }

  @Override
  public boolean isHeldByCurrentThread() {
    return holdCount() > 0;
  }

  @Override
  public boolean isHeldByThisNode() {
    return engine.isHeldHere(request);
  }

  @Override
  public int holdCount() {
    Hold mine = holds.mine(name(), isShared());
    if (mine != null && !mine.lease.isHeld()) {
      mine.tell(engine.now());
      return 0;
    }
    return mine == null ? 0 : mine.count;
  }

  @Override
  public long token() {
    Hold mine = myHold();
    refuseIfLost(mine);
    return mine.lease.token();
  }

  @Override
  public Duration remaining() {
    Hold mine = myHold();
    Duration left = mine.lease.remaining();
    if (left.isZero()) {
      mine.tell(engine.now());
    }
    return left;
  }

  @Override
  public void confirm() {
    askStore(HeldLease::confirm);
  }

  @Override
  public void extend(Duration atLeast) {
    askStore(lease -> lease.extend(atLeast));
  }

  private void askStore(Consumer<HeldLease> question) {
    Hold mine = myHold();
    refuseIfLost(mine);
    try {
      question.accept(mine.lease);
    } catch (LeaseLostException e) {
      mine.tell(engine.now());
      throw e;
    }
  }

  @Override
  public void onLost(Runnable action) {
    myHold().lease.onLost(action);
  }

  @Override
  public String toString() {
    return (isShared() ? "read lock " : "lock ") + Names.quote(name());
  }
}
