package dev.pawl.quartz;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.quartz.spi.TriggerFiredBundle;

/**
 * Where a fire is on its way from Pawl's threads to Quartz' and back.
 *
 * <pre>
 * ASKING → READY (it has its tick) → TAKEN (by the scheduler's thread) → RUNNING → ENDED
 *   ↑________|  no thread was free, or the lease was lost
 *            ↑________________________|  the scheduler's thread put it back
 * </pre>
 *
 * Until it runs, it can be withdrawn.
 */
final class FireStage {

  private enum State {
    ASKING,
    READY,
    TAKEN,
    RUNNING,
    ENDED
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private State state = State.ASKING;
  private boolean withdrawn;
  // Dropped when it is handed over: that nobody has it any more tells that Quartz gave it up.
  private @Nullable TriggerFiredBundle bundle;
  private @Nullable QuartzRun run;
  private @Nullable Exception failure;
  private boolean started;

  /** Says that the fire may run; false if it was withdrawn. */
  boolean offer(QuartzRun granted, TriggerFiredBundle what) {
    lock.lock();
    try {
      if (withdrawn) {
        return false;
      }
      run = granted;
      bundle = what;
      move(State.READY);
      return true;
    } finally {
      lock.unlock();
    }
  }

  boolean take() {
    return moveFrom(State.READY, State.TAKEN);
  }

  boolean putBack() {
    return moveFrom(State.TAKEN, State.READY);
  }

  /** Returns what Quartz is to run, once; null if it may not run any more. */
  @Nullable TriggerFiredBundle start() {
    lock.lock();
    try {
      QuartzRun granted = run;
      TriggerFiredBundle what = bundle;
      if (state != State.TAKEN || granted == null || what == null) {
        return null;
      }
      if (!granted.isHeld()) {
        move(State.ASKING);
        return null;
      }
      bundle = null;
      started = true;
      move(State.RUNNING);
      return what;
    } finally {
      lock.unlock();
    }
  }

  /** Says that Quartz has ended it; false if it did not run. */
  boolean end(@Nullable Exception why) {
    lock.lock();
    try {
      if (state != State.RUNNING) {
        return false;
      }
      failure = why;
      move(State.ENDED);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Keeps the fire from running; false if it runs already, or has ended. */
  boolean withdraw() {
    lock.lock();
    try {
      if (state == State.RUNNING || state == State.ENDED) {
        return false;
      }
      withdrawn = true;
      move(State.ENDED);
      return true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits until Quartz runs it: false if it was withdrawn, if it was not taken in that time, or if
   * its lease was lost meanwhile, which interrupts this.
   */
  boolean awaitStart(Duration wait) {
    long left = wait.toNanos();
    lock.lock();
    try {
      while (state == State.READY || state == State.TAKEN) {
        if (state == State.READY && left <= 0) {
          move(State.ASKING);
          return false;
        }
        if (state == State.READY) {
          left = changed.awaitNanos(left);
        } else {
          changed.await();
        }
      }
      return started;
    } catch (InterruptedException e) {
      if (state == State.READY || state == State.TAKEN) {
        move(State.ASKING);
      }
      return started;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until Quartz has ended it, and returns what the job threw. */
  @Nullable Exception awaitEnd() {
    lock.lock();
    try {
      while (state == State.RUNNING) {
        changed.awaitUninterruptibly();
      }
      return failure;
    } finally {
      lock.unlock();
    }
  }

  boolean isWithdrawn() {
    lock.lock();
    try {
      return withdrawn;
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether it has nothing yet, or nothing any more, under which it may run. */
  boolean isAsking() {
    lock.lock();
    try {
      return state == State.ASKING;
    } finally {
      lock.unlock();
    }
  }

  /** Tells whether Quartz has begun to run it. */
  boolean isStarted() {
    lock.lock();
    try {
      return started;
    } finally {
      lock.unlock();
    }
  }

  @Nullable QuartzRun run() {
    lock.lock();
    try {
      return run;
    } finally {
      lock.unlock();
    }
  }

  private boolean moveFrom(State from, State to) {
    lock.lock();
    try {
      if (state != from) {
        return false;
      }
      move(to);
      return true;
    } finally {
      lock.unlock();
    }
  }

  private void move(State to) {
    state = to;
    changed.signalAll();
  }
}
