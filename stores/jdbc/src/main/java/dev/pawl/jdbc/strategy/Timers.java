package dev.pawl.jdbc.strategy;

import java.util.concurrent.ScheduledThreadPoolExecutor;

/** The timers of a store. */
public final class Timers {

  private Timers() {}

  /** Returns a timer with a thread of that name, which begins when there is something to do. */
  public static ScheduledThreadPoolExecutor timer(String name) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            });
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }
}
