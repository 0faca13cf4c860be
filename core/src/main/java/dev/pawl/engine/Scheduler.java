package dev.pawl.engine;

/** Runs something later, once; what it runs does not block. */
@FunctionalInterface
interface Scheduler {

  void schedule(Runnable task, long delayNanos);
}
