package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.quartz.PawlJobStore;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** An operator pauses a trigger of Quartz by the command, in the whole cluster. */
class QuartzJobsProcessTest {

  private static final String JOB = "quartz:reports:DEFAULT/reminders";
  private static final AtomicInteger RUNS = new AtomicInteger();
  private static final AtomicInteger TICKS = new AtomicInteger();

  @TempDir private static Path directory;

  /** The job that an operator pauses. */
  public static class Reminders implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      RUNS.incrementAndGet();
    }
  }

  /** Shows that the scheduler fires all the same. */
  public static class Clock implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      TICKS.incrementAndGet();
    }
  }

  private static Scheduler start(String store) throws SchedulerException {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", "reports");
    properties.setProperty("org.quartz.threadPool.threadCount", "2");
    properties.setProperty("org.quartz.jobStore.class", PawlJobStore.class.getName());
    properties.setProperty("org.quartz.jobStore.store", store);
    Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
    schedule(scheduler, Reminders.class, "reminders");
    schedule(scheduler, Clock.class, "clock");
    scheduler.start();
    return scheduler;
  }

  private static void schedule(Scheduler scheduler, Class<? extends Job> type, String name)
      throws SchedulerException {
    scheduler.scheduleJob(
        JobBuilder.newJob(type).withIdentity(name).build(),
        TriggerBuilder.newTrigger()
            .withIdentity(name)
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
  }

  private static void until(BooleanSupplier state) {
    long start = System.nanoTime();
    while (!state.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.MINUTES.toNanos(2));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  /** Tells whether a run that was granted is still to begin, or to end. */
  private static boolean isInUse(String store) {
    try (Pawl node = Pawl.connect(store)) {
      return node.inspector()
          .find(dev.pawl.Job.PREFIX + JOB)
          .filter(info -> !info.holders().isEmpty())
          .isPresent();
    }
  }

  @Test
  void aPausedTriggerRunsNowhereUntilItIsResumed() throws SchedulerException {
    String store = "sqlite:" + directory.resolve("quartz.db");
    Scheduler scheduler = start(store);
    try {
      until(() -> RUNS.get() > 0);
      Result paused = PawlProcess.run(store, "jobs", "pause", JOB, "--reason", "no paper");
      assertThat(paused.code()).as(paused.err()).isZero();
      assertThat(paused.out()).isEqualTo("paused " + JOB + "\n");
      assertThat(PawlProcess.run(store, "jobs").out()).contains(JOB, "paused by ", "no paper");

      // One that was granted before may still begin; from the next time on there is none.
      int begun = TICKS.get();
      until(() -> TICKS.get() > begun + 1 && !isInUse(store));
      int runs = RUNS.get();
      int ticks = TICKS.get();
      until(() -> TICKS.get() >= ticks + 3);
      assertThat(RUNS.get()).isEqualTo(runs);

      assertThat(PawlProcess.run(store, "jobs", "resume", JOB).code()).isZero();
      until(() -> RUNS.get() > runs);
    } finally {
      scheduler.shutdown(true);
    }
  }
}
