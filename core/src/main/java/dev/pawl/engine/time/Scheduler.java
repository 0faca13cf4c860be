package dev.pawl.engine.time;

/** Runs something later, once; what it runs does not block. */
@FunctionalInterface
public interface Scheduler {

  /**
   * Has the task run after that time.
   *
   * @return what takes it back, and leaves nothing of it behind
   */
  Runnable schedule(Runnable task, long delayNanos);
}
