package dev.pawl;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A lock that one owner at a time holds, among all threads of all processes on all machines.
 *
 * <p>It can be held in two ways:
 *
 * <ul>
 *   <li>By a {@link Lease} ({@code acquire}, {@code tryAcquire}): owned by the handle, which any
 *       thread may close. Never reentrant. The way to prefer.
 *   <li>By the thread ({@code lock}, {@code tryLock}, {@code unlock}): as {@link
 *       java.util.concurrent.locks.ReentrantLock} does it, reentrant, and released by the thread
 *       that took it.
 * </ul>
 *
 * <p>A thread that would wait for a lease which it took itself and still holds gets a {@link
 * DeadlockException} instead of hanging. A lease that is meant to be closed by another thread is
 * taken with {@link #acquireAsync}, and then belongs to no thread.
 *
 * <p>A newcomer never overtakes a fair waiter, not even with {@link #tryLock()}: there is no
 * barging unless {@link LockOptions#fair()} is off.
 *
 * <p>A wait of zero is now or never. A negative one is refused, and so is one of more than 292
 * years; one of more than 73 years has no end. {@link #tryLock(long, TimeUnit)} takes what is below
 * zero for zero, as its interface says.
 *
 * <p>Every call throws {@link StoreUnavailableException} or {@link OutcomeUnknownException} if the
 * store fails; a lock that is merely held by somebody else is an empty result, {@code false}, or a
 * {@link LockTimeoutException}.
 */
public interface DistributedLock extends Lock {

  /** Returns the name that is locked. */
  String name();

  /** Returns the options this handle was made with. */
  LockOptions options();

  /** Waits until the lock is granted. */
  Lease acquire() throws InterruptedException;

  /**
   * Waits until the lock is granted, but no longer than {@code wait}.
   *
   * @throws LockTimeoutException if somebody else held it all that time; the message says who
   */
  Lease acquire(Duration wait) throws InterruptedException;

  /** Takes the lock if it is free now. */
  Optional<Lease> tryAcquire();

  /** Takes the lock if it becomes free within {@code wait}; empty if it does not. */
  Optional<Lease> tryAcquire(Duration wait) throws InterruptedException;

  /**
   * Takes the lock as soon as it is free, without blocking a thread. The future fails with {@link
   * LockTimeoutException} after {@code wait}; cancelling it gives up the place in the queue.
   */
  CompletableFuture<Lease> acquireAsync(Duration wait);

  /**
   * Waits until the current thread holds the lock. An interrupt does not end the wait; it is
   * remembered, as {@link java.util.concurrent.locks.ReentrantLock#lock()} does.
   *
   * <p>A thread that holds the lock already holds it once more, under the options with which it
   * took it first: those of this handle count for nothing then.
   *
   * @throws LeaseLostException if the thread held the lock and has lost it without knowing: this is
   *     said once, and then the lock can be taken again
   */
  @Override
  void lock();

  /** Waits until the current thread holds the lock, or is interrupted. */
  @Override
  void lockInterruptibly() throws InterruptedException;

  /** Takes the lock for the current thread if it is free now, or is held by it already. */
  @Override
  boolean tryLock();

  /** Takes the lock for the current thread if it becomes free in time. */
  @Override
  boolean tryLock(long time, TimeUnit unit) throws InterruptedException;

  /**
   * Undoes one {@code lock}; the last one releases.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   * @throws LeaseLostException if it was lost meanwhile; one {@code lock} is undone all the same
   */
  @Override
  void unlock();

  /** Not supported: a condition would need a queue in the store that no backend has. */
  @Override
  Condition newCondition();

  /**
   * Tells whether the current thread holds the lock by {@link #lock()}, without a round trip. Once
   * a thread was told so, or otherwise, that it has lost its hold, it may take the lock again.
   */
  boolean isHeldByCurrentThread();

  /**
   * Tells whether this node holds the lock, by whichever thread or lease, without a round trip.
   * Asked of a read lock: whether one of its readers does.
   */
  boolean isHeldByThisNode();

  /**
   * Returns how often the current thread has taken the lock without releasing it; zero if it lost
   * it.
   */
  int holdCount();

  /**
   * Returns the token of the current thread's hold; it does not change on re-entry.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   * @throws LeaseLostException if it was lost meanwhile
   */
  long token();

  /**
   * Returns how long the node may count on the current thread's hold without renewing it; zero if
   * it was lost.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   */
  Duration remaining();

  /**
   * Asks the store whether the current thread's hold still stands, as {@link Lease#confirm()} does.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   * @throws LeaseLostException if it was lost meanwhile
   */
  void confirm();

  /**
   * Has the current thread's hold last for at least that time from now, as {@link Lease#extend}
   * does. It never shortens a hold.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   * @throws LeaseLostException if it was lost meanwhile
   */
  void extend(Duration atLeast);

  /**
   * Runs {@code action} when the current thread's hold is lost, on a thread for callbacks; at once
   * if it is already. Never after the {@code unlock} that released it.
   *
   * @throws IllegalMonitorStateException if the current thread does not hold the lock
   */
  void onLost(Runnable action);
}
