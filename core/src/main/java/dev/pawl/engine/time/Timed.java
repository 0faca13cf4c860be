package dev.pawl.engine.time;

/** Something with at most one timer. */
public abstract class Timed {

  /** When it is due; guarded by the timer queue's lock. */
  long dueNanos;

  /** Where it stands in the timer queue, -1 if nowhere; guarded by the timer queue's lock. */
  int timerIndex = -1;

  /**
   * Called when the time has come. It may have been cancelled or moved a moment before, so this is
   * a hint to look, not a fact.
   */
  public abstract void fire(long nowNanos);
}
