package dev.pawl.spring;

import dev.pawl.Job;
import dev.pawl.text.DurationText;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.ScheduledAnnotationBeanPostProcessor;
import org.springframework.scheduling.config.CronTask;
import org.springframework.scheduling.config.FixedDelayTask;
import org.springframework.scheduling.config.FixedRateTask;
import org.springframework.scheduling.config.OneTimeTask;
import org.springframework.scheduling.config.ScheduledTask;
import org.springframework.scheduling.config.ScheduledTaskRegistrar;
import org.springframework.scheduling.support.CronTrigger;

/**
 * Spring's processor of {@code @Scheduled}, with ticks for the methods that are {@link
 * OncePerTick}: their tasks are changed on the way to the registrar.
 */
final class TickProcessor extends ScheduledAnnotationBeanPostProcessor {

  /** A method that is being processed: the registrar gets its task in the same call. */
  private record Pending(
      OncePerTick annotation,
      String name,
      boolean several,
      String zone,
      @Nullable String scheduler,
      Runnable body,
      Object bean) {}

  private static final ThreadLocal<@Nullable Pending> PENDING = new ThreadLocal<>();

  private final ReentrantLock lock = new ReentrantLock();
  private final IdentityHashMap<Object, List<TickedJob>> jobs = new IdentityHashMap<>();
  private @Nullable BeanFactory beans;

  TickProcessor() {
    this(new Registrar());
  }

  private TickProcessor(Registrar registrar) {
    super(registrar);
    registrar.processor = this;
  }

  @Override
  public void setBeanFactory(BeanFactory beanFactory) {
    super.setBeanFactory(beanFactory);
    beans = beanFactory;
  }

  private OnceTasks tasks() {
    if (beans == null) {
      throw new IllegalStateException("no bean factory");
    }
    return beans.getBean(OnceTasks.class);
  }

  @Override
  protected void processScheduled(Scheduled scheduled, Method method, Object bean) {
    OncePerTick annotation = AnnotatedElementUtils.findMergedAnnotation(method, OncePerTick.class);
    if (annotation == null) {
      super.processScheduled(scheduled, method, bean);
      return;
    }
    Class<?> type = AopProxyUtils.ultimateTargetClass(bean);
    try {
      check(method, type);
      String given = tasks().texts().resolve(annotation.name());
      String name = given.isEmpty() ? type.getName() + "." + method.getName() : given;
      String zone = tasks().texts().resolve(scheduled.zone());
      long schedules =
          MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(Scheduled.class)
              .count();
      PENDING.set(
          new Pending(
              annotation,
              name,
              schedules > 1,
              zone.isEmpty() ? "" : " " + zone,
              scheduled.scheduler(),
              createRunnable(bean, method, scheduled.scheduler()),
              bean));
      super.processScheduled(scheduled, method, bean);
    } catch (IllegalArgumentException | IllegalStateException e) {
      throw new SetupException(
          "@OncePerTick on " + type.getName() + "." + method.getName() + ": " + e.getMessage(), e);
    } finally {
      PENDING.remove();
    }
  }

  private static void check(Method method, Class<?> type) {
    if (AnnotatedElementUtils.hasAnnotation(method, Async.class)
        || AnnotatedElementUtils.hasAnnotation(type, Async.class)) {
      throw new IllegalArgumentException(
          "an @Async method returns before its work is done, and the run would end with it; leave"
              + " @Async out: the method keeps no thread of the scheduler anyway");
    }
    if (method.getReturnType() != void.class) {
      throw new IllegalArgumentException(
          "the method returns "
              + method.getReturnType().getName()
              + "; a run ends when the method does, so that it must do its work before, and return"
              + " void");
    }
  }

  private TickedJob add(Pending of, String schedule) {
    String name = of.several() ? of.name() + "[" + schedule + of.zone() + "]" : of.name();
    OnceTasks tasks = tasks();
    TickedJob job =
        tasks.add(tasks.terms(of.annotation(), Texts.fit(name, Job.PREFIX.length())), of.body());
    lock.lock();
    try {
      jobs.computeIfAbsent(of.bean(), key -> new CopyOnWriteArrayList<>()).add(job);
    } finally {
      lock.unlock();
    }
    return job;
  }

  private Optional<Duration> period(Pending of) {
    return tasks().texts().duration("period", of.annotation().period());
  }

  @Override
  public void postProcessBeforeDestruction(Object bean, String beanName) {
    super.postProcessBeforeDestruction(bean, beanName);
    List<TickedJob> ended;
    lock.lock();
    try {
      ended = jobs.remove(bean);
    } finally {
      lock.unlock();
    }
    if (ended != null) {
      ended.forEach(tasks()::remove);
    }
  }

  @Override
  public boolean requiresDestruction(Object bean) {
    lock.lock();
    try {
      return jobs.containsKey(bean) || super.requiresDestruction(bean);
    } finally {
      lock.unlock();
    }
  }

  /** Changes the task of the method that is being processed. */
  private static final class Registrar extends ScheduledTaskRegistrar {

    @Nullable TickProcessor processor;

    private TickProcessor processor() {
      if (processor == null) {
        throw new IllegalStateException("not set up");
      }
      return processor;
    }

    @Override
    public @Nullable ScheduledTask scheduleCronTask(CronTask task) {
      Pending of = PENDING.get();
      if (of == null) {
        return super.scheduleCronTask(task);
      }
      if (processor().period(of).isPresent()) {
        throw new IllegalArgumentException("a cron schedule has its ticks: leave period out");
      }
      TickedJob job = processor().add(of, task.getExpression());
      return super.scheduleCronTask(
          OnceTasks.cron(job, (CronTrigger) task.getTrigger(), of.scheduler()));
    }

    @Override
    public @Nullable ScheduledTask scheduleFixedRateTask(FixedRateTask task) {
      Pending of = PENDING.get();
      if (of == null) {
        return super.scheduleFixedRateTask(task);
      }
      if (processor().period(of).isPresent()) {
        throw new IllegalArgumentException("the period is the fixed rate: leave period out");
      }
      Duration rate = task.getIntervalDuration();
      return super.scheduleFixedRateTask(
          new FixedRateTask(periodic(of, rate), rate, task.getInitialDelayDuration()));
    }

    @Override
    public @Nullable ScheduledTask scheduleFixedDelayTask(FixedDelayTask task) {
      Pending of = PENDING.get();
      if (of == null) {
        return super.scheduleFixedDelayTask(task);
      }
      Duration period =
          processor()
              .period(of)
              .orElseThrow(
                  () ->
                      new IllegalArgumentException(
                          "a fixed delay has no ticks: each node counts it from the end of its own"
                              + " last call, so that no two agree on when the next run is due. Use"
                              + " fixedRate or cron, or say how often it runs in the cluster:"
                              + " @OncePerTick(period = \"1m\")"));
      return super.scheduleFixedDelayTask(
          new FixedDelayTask(
              periodic(of, period), task.getIntervalDuration(), task.getInitialDelayDuration()));
    }

    @Override
    public @Nullable ScheduledTask scheduleOneTimeTask(OneTimeTask task) {
      if (PENDING.get() != null) {
        throw new IllegalArgumentException(
            "a task that runs once after the start has no ticks; take a lock by @Locked, or give"
                + " it a cron or a fixedRate");
      }
      return super.scheduleOneTimeTask(task);
    }

    private OnceTasks.Periodic periodic(Pending of, Duration period) {
      Job.Tick tick = Job.every(period);
      return new OnceTasks.Periodic(
          processor().add(of, DurationText.format(period)), tick, of.scheduler());
    }
  }
}
