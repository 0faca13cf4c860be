package dev.pawl.engine;

/** Runs something later, once; what it runs does not block. */
@FunctionalInterface
interface Scheduler {

  /**
   * Has the task run after that time.
   *
   * @return what takes it back, and leaves nothing of it behind
   */
  Runnable schedule(Runnable task, long delayNanos);
}
