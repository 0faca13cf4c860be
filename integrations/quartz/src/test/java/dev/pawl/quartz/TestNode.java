package dev.pawl.quartz;

import dev.pawl.Pawl;
import dev.pawl.Store;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobListener;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerListener;
import org.quartz.impl.DirectSchedulerFactory;
import org.quartz.impl.SchedulerRepository;
import org.quartz.listeners.SchedulerListenerSupport;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.TriggerFiredResult;

/** A node with a scheduler of its own, whose jobs are what the test says. */
final class TestNode implements AutoCloseable {

  static final String SCHEDULER = "reports";

  final Pawl pawl;
  final PawlJobStore jobs;
  final Scheduler scheduler;

  /** What listeners heard, in order. */
  final List<String> heard = new CopyOnWriteArrayList<>();

  private final AtomicInteger fired = new AtomicInteger();

  final List<Instant> ran = new CopyOnWriteArrayList<>();

  /** A job that may run several times at once. */
  public static class Plain implements Job {
    @Override
    public void execute(JobExecutionContext context) {}
  }

  /** A job that may not. */
  @DisallowConcurrentExecution
  public static class Exclusive extends Plain {}

  TestNode(Store store, Job body) throws SchedulerException {
    this(store, 3, body, jobs -> {});
  }

  /** A node that bears a machine that stalls. */
  TestNode(Store store, int threads, Job body, Consumer<PawlJobStore> settings)
      throws SchedulerException {
    this(
        Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build(),
        threads,
        body,
        settings);
  }

  /** One that is closed with the node that it has. */
  TestNode(Pawl pawl, int threads, Job body, Consumer<PawlJobStore> settings)
      throws SchedulerException {
    this.pawl = pawl;
    jobs = new CountingJobStore(pawl);
    jobs.setInstanceName(SCHEDULER);
    settings.accept(jobs);
    DirectSchedulerFactory.getInstance()
        .createScheduler(SCHEDULER, pawl.nodeId(), pool(threads), jobs);
    scheduler = DirectSchedulerFactory.getInstance().getScheduler(SCHEDULER);
    SchedulerRepository.getInstance().remove(SCHEDULER); // There are several in this process.
    scheduler.setJobFactory(
        (bundle, quartz) ->
            context -> {
              ran.add(context.getScheduledFireTime().toInstant());
              body.execute(context);
            });
    scheduler.getListenerManager().addTriggerListener(new TriggerEars());
    scheduler.getListenerManager().addJobListener(new JobEars());
    scheduler
        .getListenerManager()
        .addSchedulerListener(
            new SchedulerListenerSupport() {
              @Override
              public void schedulerError(String message, SchedulerException cause) {
                heard.add("error: " + message);
              }
            });
  }

  /** Counts triggers that have fired, when what follows of it has begun. */
  private final class CountingJobStore extends PawlJobStore {
    CountingJobStore(Pawl pawl) {
      super(pawl);
    }

    @Override
    public List<TriggerFiredResult> triggersFired(List<OperableTrigger> triggers) {
      List<TriggerFiredResult> results = super.triggersFired(triggers);
      fired.addAndGet(triggers.size());
      return results;
    }
  }

  private static SimpleThreadPool pool(int threads) throws SchedulerException {
    SimpleThreadPool pool = new SimpleThreadPool(threads, Thread.NORM_PRIORITY);
    pool.setMakeThreadsDaemons(true);
    pool.initialize();
    return pool;
  }

  static JobDetail job(Class<? extends Job> type) {
    return JobBuilder.newJob(type).withIdentity("send").storeDurably().build();
  }

  TestNode schedule(Class<? extends Job> type, Trigger trigger) throws SchedulerException {
    scheduler.scheduleJob(job(type), trigger);
    return this;
  }

  TestNode start() throws SchedulerException {
    scheduler.start();
    return this;
  }

  long heard(String prefix) {
    return heard.stream().filter(line -> line.startsWith(prefix)).count();
  }

  /** Tells whether a trigger has fired, and nothing of it waits or runs. */
  boolean hasFiredAndIsIdle() {
    return fired.get() > 0 && isIdle();
  }

  /** Returns how many triggers have fired here, whoever runs them. */
  int fired() {
    return fired.get();
  }

  boolean isIdle() {
    return jobs.isIdle();
  }

  @Override
  public void close() throws SchedulerException {
    scheduler.shutdown(true);
    pawl.close();
  }

  private final class TriggerEars implements TriggerListener {
    @Override
    public String getName() {
      return "ears";
    }

    @Override
    public void triggerFired(Trigger trigger, JobExecutionContext context) {
      heard.add("fired");
    }

    @Override
    public boolean vetoJobExecution(Trigger trigger, JobExecutionContext context) {
      return false;
    }

    @Override
    public void triggerMisfired(Trigger trigger) {
      heard.add("misfired");
    }

    @Override
    public void triggerComplete(
        Trigger trigger,
        JobExecutionContext context,
        Trigger.CompletedExecutionInstruction instruction) {
      heard.add("complete");
    }
  }

  private final class JobEars implements JobListener {
    @Override
    public String getName() {
      return "ears";
    }

    @Override
    public void jobToBeExecuted(JobExecutionContext context) {
      heard.add("to be executed");
    }

    @Override
    public void jobExecutionVetoed(JobExecutionContext context) {
      heard.add("vetoed");
    }

    @Override
    public void jobWasExecuted(JobExecutionContext context, JobExecutionException error) {
      heard.add(error == null ? "executed" : "threw");
    }
  }
}
