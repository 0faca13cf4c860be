package dev.pawl.engine.threads;

import dev.pawl.engine.time.Scheduler;
import dev.pawl.spi.HostClock;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads of a real node: one keeper, and a few for blocking stores, for the deadlock search
 * and for callbacks, started when they are needed and ended when they are idle.
 */
public final class Threads {

  private static final Logger LOG = LoggerFactory.getLogger(Threads.class);

  private static final int MOST_IO_THREADS = 4;
  private static final int MOST_RENEWAL_THREADS = 4;
  private static final long IDLE_SECONDS = 10;

  private Threads() {}

  public static Platform platform(String node, @Nullable Executor userCallbacks) {
    ScheduledThreadPoolExecutor keeper =
        new ScheduledThreadPoolExecutor(1, named("pawl-keeper-" + node));
    keeper.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    keeper.setRemoveOnCancelPolicy(true);
    keeper.prestartCoreThread(); // Everything hangs on it: there is no node without it.
    Scheduler scheduler = (task, delay) -> schedule(keeper, task, delay);
    ThreadPoolExecutor io = pool(MOST_IO_THREADS, "pawl-io-" + node);
    ThreadPoolExecutor renewals = pool(MOST_RENEWAL_THREADS, "pawl-renewal-" + node);
    ThreadPoolExecutor search = pool(1, "pawl-search-" + node);
    Crew callbacks = crew("pawl-callback-" + node, scheduler);
    Crew losses = crew("pawl-loss-" + node, scheduler);
    // As many as there are runs: a run that waited for another's end would lose its tick.
    ThreadPoolExecutor bodies =
        new ThreadPoolExecutor(
            0,
            Integer.MAX_VALUE,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            named("pawl-job-" + node));
    RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
    return new Platform(
        new HostClock()::getAsLong,
        scheduler,
        io,
        renewals,
        search,
        userCallbacks == null ? callbacks : preferring(userCallbacks, callbacks),
        userCallbacks == null ? losses : preferring(userCallbacks, losses),
        bodies,
        random,
        bug -> LOG.error("node {} could not handle something; please report this", node, bug),
        () -> {
          keeper.shutdown();
          io.shutdown();
          renewals.shutdown();
          search.shutdown();
          callbacks.shutdown();
          losses.shutdown();
          bodies.shutdown();
        });
  }

  private static Runnable schedule(ScheduledThreadPoolExecutor keeper, Runnable task, long delay) {
    try {
      Future<?> scheduled = keeper.schedule(task, delay, TimeUnit.NANOSECONDS);
      return () -> scheduled.cancel(false);
    } catch (RejectedExecutionException e) {
      return () -> {}; // The node is closed: nothing is due any more.
    }
  }

  private static Crew crew(String name, Scheduler scheduler) {
    return new Crew(name, named(name), System::nanoTime, scheduler);
  }

  /** The user's executor; what it does not take is done by a thread of the node. */
  private static Executor preferring(Executor users, Executor ours) {
    return task -> {
      try {
        users.execute(task);
      } catch (Throwable e) { // Rejected, most likely; or it is broken, or finds no thread.
        LOG.warn("the callback executor did not take a callback: {}", e.toString());
        ours.execute(task);
      }
    };
  }

  private static ThreadPoolExecutor pool(int size, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            size, size, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  /**
   * Makes threads that have nothing of whoever needs one first, which may be anybody's thread, that
   * of a driver or of the common pool: the user's code finds its classes in them by the context
   * class loader of who built the node, and no values of another's request.
   */
  private static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    return task -> {
      Thread thread = new Thread(null, task, name + "-" + count.incrementAndGet(), 0, false);
      thread.setContextClassLoader(loader);
      thread.setDaemon(true);
      return thread;
    };
  }
}
