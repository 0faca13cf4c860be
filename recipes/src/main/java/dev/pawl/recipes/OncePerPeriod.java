package dev.pawl.recipes;

import dev.pawl.Job;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A timer on every node, and one run a period in the whole cluster. */
public final class OncePerPeriod {

  private static final Logger LOG = LoggerFactory.getLogger(OncePerPeriod.class);

  private OncePerPeriod() {}

  public static ScheduledFuture<?> schedule(
      ScheduledExecutorService scheduler, Job job, Duration period, Job.Task task) {
    return scheduler.scheduleAtFixedRate(
        () -> {
          try {
            job.run(Job.every(period), task);
          } catch (RuntimeException | Error e) { // Thrown, it would end the timer for good.
            LOG.error("{} was not run, or ended with an error", job, e);
          }
        },
        0,
        period.toNanos(),
        TimeUnit.NANOSECONDS);
  }
}
