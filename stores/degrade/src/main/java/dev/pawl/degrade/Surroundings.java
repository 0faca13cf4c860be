package dev.pawl.degrade;

import dev.pawl.spi.HostClock;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * What a pair needs of the world, so that a simulation can be the world.
 *
 * @param nanos a monotonic clock, which goes on while the host is suspended
 * @param timer runs something later
 * @param work where calls to a store that blocks are made
 * @param shutdown ends the threads behind the others
 */
record Surroundings(LongSupplier nanos, Timer timer, Executor work, Runnable shutdown) {

  /** Runs something later. */
  interface Timer {
    void in(long nanos, Runnable task);
  }

  static Surroundings ofThisProcess() {
    ThreadFactory factory = daemons();
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1, factory);
    timer.setRemoveOnCancelPolicy(true);
    ExecutorService work = Executors.newCachedThreadPool(factory);
    return new Surroundings(
        new HostClock(),
        (nanos, task) -> {
          try {
            var unused = timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
          } catch (RejectedExecutionException e) {
            // The pair is closed: nothing is to be done later.
          }
        },
        work,
        () -> {
          timer.shutdownNow();
          work.shutdown();
        });
  }

  /** Makes threads that have nothing of whoever's call needs one, as those of a node. */
  private static ThreadFactory daemons() {
    AtomicLong count = new AtomicLong();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = new Thread(null, task, "pawl-pair-" + count.incrementAndGet(), 0, false);
      thread.setContextClassLoader(loader);
      thread.setDaemon(true);
      return thread;
    };
  }
}
