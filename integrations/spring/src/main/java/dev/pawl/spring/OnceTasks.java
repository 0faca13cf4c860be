package dev.pawl.spring;

import dev.pawl.Job;
import dev.pawl.Pawl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.SchedulingAwareRunnable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.FixedRateTask;
import org.springframework.scheduling.config.TriggerTask;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/**
 * Tasks that of all nodes one runs for each tick: for a {@code SchedulingConfigurer} and for
 * schedules that are made at run time, what {@link OncePerTick} is for {@code @Scheduled}. A bean.
 *
 * <pre>{@code
 * registrar.addCronTask(once.cron("report", new CronTrigger("0 0 6 * * *"), reports::send));
 *
 * TriggerTask task = once.triggered("poll", trigger, mail::poll);
 * scheduler.schedule(task.getRunnable(), task.getTrigger());
 * }</pre>
 *
 * <p>When the context closes there are no new runs; those that go on have the time that Spring
 * gives to a phase of the shutdown, and then lose their lease.
 */
public final class OnceTasks implements SmartLifecycle {

  private final ConfigurableBeanFactory beans;
  private final Texts texts;
  private final List<TickedJob> jobs = new CopyOnWriteArrayList<>();
  private volatile boolean running;

  OnceTasks(ConfigurableBeanFactory beans) {
    this.beans = beans;
    this.texts = new Texts(beans);
  }

  /** Returns a task whose ticks are the times of a cron expression, by the defaults. */
  public CronTask cron(String job, CronTrigger trigger, Runnable body) {
    return cron(add(terms(job), body), trigger, null);
  }

  /**
   * Returns a task whose ticks are the times that a trigger sets: the same on every node.
   *
   * @throws IllegalArgumentException if it is a {@code PeriodicTrigger}, whose times are its node's
   */
  public TriggerTask triggered(String job, Trigger trigger, Runnable body) {
    if (trigger instanceof PeriodicTrigger) {
      throw new IllegalArgumentException(
          "job \""
              + job
              + "\": a PeriodicTrigger counts from the start of its own node, so that each node"
              + " would run it at times of its own; once in every period of the cluster it runs by"
              + " every(job, period, body)");
    }
    TickedJob ticked = add(terms(job), body);
    Ticks ticks = new Ticks();
    return new TriggerTask(new AtTicks(ticked, ticks, null), ticks.of(trigger));
  }

  /** Returns a task that is due once in every period of the store's clock. */
  public FixedRateTask every(String job, Duration period, Runnable body) {
    return new FixedRateTask(
        new Periodic(add(terms(job), body), Job.every(period), null), period, Duration.ZERO);
  }

  private TickedJob.Terms terms(String job) {
    PawlDefaults defaults = defaults();
    return new TickedJob.Terms(
        job,
        Duration.ZERO,
        defaults.atMostFor().orElse(Duration.ZERO),
        defaults.atLeastFor().orElse(Duration.ZERO),
        defaults.retryElsewhere(),
        BeforeCommit.LOCAL);
  }

  TickedJob.Terms terms(OncePerTick annotation, String name) {
    PawlDefaults defaults = defaults();
    int retries = annotation.retryElsewhere();
    return new TickedJob.Terms(
        name,
        texts.duration("lease", annotation.lease()).orElse(Duration.ZERO),
        or(texts.duration("atMostFor", annotation.atMostFor()), defaults.atMostFor()),
        or(texts.duration("atLeastFor", annotation.atLeastFor()), defaults.atLeastFor()),
        retries < 0 ? defaults.retryElsewhere() : retries,
        annotation.beforeCommit());
  }

  private static Duration or(Optional<Duration> first, Optional<Duration> second) {
    return first.or(() -> second).orElse(Duration.ZERO);
  }

  private PawlDefaults defaults() {
    return beans.getBeanProvider(PawlDefaults.class).getIfAvailable(() -> PawlDefaults.NONE);
  }

  Texts texts() {
    return texts;
  }

  TickedJob add(TickedJob.Terms terms, Runnable body) {
    if (jobs.stream().anyMatch(each -> each.name().equals(terms.name()))) {
      throw new IllegalArgumentException(
          "there is a job \""
              + terms.name()
              + "\" already in this application: of two with one name, only one would run for each"
              + " tick; give each a name of its own (several beans of one class: by OnceTasks)");
    }
    TickedJob job = new TickedJob(terms, () -> beans.getBean(Pawl.class), this::isRunning, body);
    if (running) {
      job.check();
    }
    jobs.add(job);
    return job;
  }

  void remove(TickedJob job) {
    jobs.remove(job);
    var unused = job.stop();
  }

  static CronTask cron(TickedJob job, CronTrigger trigger, @Nullable String scheduler) {
    Ticks ticks = new Ticks();
    return new CronTask(new AtTicks(job, ticks, scheduler), ticks.of(trigger));
  }

  /** Called at times that a trigger sets. */
  private record AtTicks(TickedJob job, Ticks ticks, @Nullable String scheduler)
      implements SchedulingAwareRunnable {

    @Override
    public void run() {
      Instant tick = ticks.take();
      if (tick != null) {
        job.fire(new Job.Tick.At(tick));
      }
    }

    @Override
    public @Nullable String getQualifier() {
      return scheduler;
    }

    @Override
    public String toString() {
      return "once per tick: " + job.name();
    }
  }

  /** Called once a period. */
  record Periodic(TickedJob job, Job.Tick tick, @Nullable String scheduler)
      implements SchedulingAwareRunnable {

    @Override
    public void run() {
      job.fire(tick);
    }

    @Override
    public @Nullable String getQualifier() {
      return scheduler;
    }

    @Override
    public String toString() {
      return "once per tick: " + job.name();
    }
  }

  @Override
  public void start() {
    jobs.forEach(TickedJob::check);
    running = true;
  }

  @Override
  public void stop() {
    running = false;
    for (TickedJob job : jobs) {
      var unused = job.stop();
    }
  }

  @Override
  public void stop(Runnable callback) {
    running = false;
    CompletableFuture<?>[] ends =
        jobs.stream().map(TickedJob::stop).toArray(CompletableFuture<?>[]::new);
    var unused = CompletableFuture.allOf(ends).whenComplete((done, error) -> callback.run());
  }

  @Override
  public boolean isRunning() {
    return running;
  }
}
