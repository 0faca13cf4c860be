package dev.pawl.quartz;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobListener;
import org.quartz.JobPersistenceException;
import org.quartz.Trigger;
import org.quartz.Trigger.CompletedExecutionInstruction;
import org.quartz.Trigger.TriggerState;
import org.quartz.TriggerKey;
import org.quartz.impl.matchers.GroupMatcher;
import org.quartz.simpl.RAMJobStore;
import org.quartz.spi.ClassLoadHelper;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.SchedulerSignaler;
import org.quartz.spi.TriggerFiredBundle;
import org.quartz.spi.TriggerFiredResult;

/**
 * A job store for Quartz that keeps jobs and triggers in memory on each node and lets Pawl decide
 * which node fires: one run for each scheduled fire time in the cluster, and another node takes
 * over when the runner dies.
 *
 * <pre>{@code
 * org.quartz.scheduler.instanceName = reports
 * org.quartz.jobStore.class = dev.pawl.quartz.PawlJobStore
 * org.quartz.jobStore.store = jdbc:postgresql://db/app
 * }</pre>
 *
 * <p>An application that has a {@link Pawl} leaves {@code store} out, and calls {@link #use} before
 * it makes its scheduler. Every node schedules the same jobs and triggers.
 *
 * <p>Of a fire that another node runs, listeners hear nothing. {@code triggerJob} runs where it is
 * called. A job with {@code @DisallowConcurrentExecution} runs once at a time in the whole cluster.
 * {@link QuartzRun#of} gives a job its fencing token.
 */
public class PawlJobStore extends RAMJobStore implements JobListener {

  private static final Map<String, Pawl> OF_THE_APPLICATION = new ConcurrentHashMap<>();
  private static final String ALL_SCHEDULERS = "";

  /** For the store to be told how the last runs ended. */
  private static final Duration FOR_THE_LAST = Duration.ofSeconds(5);

  private final StoreSettings settings = new StoreSettings();
  private final Quartz quartz = new Quartz();
  private @Nullable Pawl pawl;
  private boolean isOwner;
  private String schedulerName = "QuartzScheduler";
  private @Nullable Fires fires;

  /** For Quartz, which makes it by its name. */
  public PawlJobStore() {}

  /** A job store on a node of the application's, which the application closes. */
  public PawlJobStore(Pawl pawl) {
    this.pawl = Objects.requireNonNull(pawl, "pawl");
  }

  /**
   * Has job stores that name no store of their own use this node, if their scheduler is made from
   * now on. The application closes it, after the scheduler's shutdown.
   */
  public static void use(Pawl pawl) {
    use(ALL_SCHEDULERS, pawl);
  }

  /** Has the job store of the scheduler of that name use this node, as {@link #use(Pawl)} does. */
  public static void use(String schedulerName, Pawl pawl) {
    Objects.requireNonNull(schedulerName, "schedulerName");
    OF_THE_APPLICATION.put(schedulerName, Objects.requireNonNull(pawl, "pawl"));
  }

  // org.quartz.jobStore.*

  /** Sets the URL of the store, such as {@code jdbc:postgresql://db/app}. */
  public void setStore(String url) {
    settings.url(url);
  }

  /** Sets the name of this node for people; {@code java@host:pid} by default. */
  public void setLabel(String label) {
    settings.label(label);
  }

  /** Sets after how many milliseconds others take over from a node that died; 10,000 by default. */
  public void setLease(long millis) {
    settings.lease(millis);
  }

  /** Sets how often a run that failed is tried again on another node; 0 by default. */
  public void setRetryElsewhere(int times) {
    settings.retryElsewhere(times);
  }

  /** Sets the groups of jobs, separated by commas, which run on every node. */
  public void setOnEveryNode(String jobGroups) {
    settings.onEveryNode(jobGroups);
  }

  @Override
  public void setInstanceName(String name) {
    schedulerName = name;
  }

  /** Has Quartz make up an instance id for each node, where it is asked to. */
  @Override
  public boolean isClustered() {
    return true;
  }

  // The life of the scheduler.

  /**
   * Opens the store.
   *
   * @throws IllegalStateException if no store is named
   * @throws PawlException if it cannot be opened
   */
  @Override
  public void initialize(ClassLoadHelper loadHelper, SchedulerSignaler schedSignaler) {
    super.initialize(loadHelper, schedSignaler);
    Pawl node = pawl;
    if (node == null && !settings.namesAStore()) {
      Pawl forAll = OF_THE_APPLICATION.get(ALL_SCHEDULERS);
      node = OF_THE_APPLICATION.getOrDefault(schedulerName, forAll);
    }
    if (node == null) {
      node = settings.open();
      isOwner = true;
    } else {
      settings.checkFor(node::label);
    }
    pawl = node;
    fires = new Fires(quartz, node, settings.options(), settings.retryElsewhere());
    getLog().info("Pawl decides who fires: scheduler {}, node {}", schedulerName, node.label());
  }

  @Override
  public void schedulerStarted() {
    super.schedulerStarted();
    fires().resume();
  }

  /** Leaves what waits here to other nodes. */
  @Override
  public void schedulerPaused() {
    super.schedulerPaused();
    Fires waiting = fires;
    if (waiting != null) { // Quartz ends a scheduler in the same way whose store did not open.
      waiting.pause();
    }
  }

  @Override
  public void schedulerResumed() {
    super.schedulerResumed();
    fires().resume();
  }

  /** Closes the node, if it is this job store's, when the last run has ended. */
  @Override
  public void shutdown() {
    super.shutdown();
    Fires last = fires;
    if (last != null) {
      last.close(this::close, FOR_THE_LAST);
    }
  }

  private void close() {
    Pawl node = pawl;
    if (isOwner && node != null) {
      node.close();
    }
  }

  /** Tells whether nothing waits here and nothing runs. */
  boolean isIdle() {
    return fires().isIdle();
  }

  private Fires fires() {
    Fires now = fires;
    if (now == null) {
      throw new IllegalStateException("this job store has not been initialized");
    }
    return now;
  }

  // Triggers.

  /**
   * Stores a trigger.
   *
   * @throws JobPersistenceException if nodes could not agree on what it is; the message says what
   *     to do
   */
  @Override
  public void storeTrigger(OperableTrigger newTrigger, boolean replaceExisting)
      throws JobPersistenceException {
    JobDetail job = retrieveJob(newTrigger.getJobKey());
    if (job != null && settings.isShared(newTrigger, job)) {
      check(newTrigger, job);
    }
    super.storeTrigger(newTrigger, replaceExisting);
  }

  private void check(OperableTrigger trigger, JobDetail job) throws JobPersistenceException {
    String name;
    try {
      name = tick(trigger, job).name();
      var unused = fires().job(name);
    } catch (IllegalArgumentException | PawlException e) {
      throw new JobPersistenceException(
          "trigger " + trigger.getKey() + " cannot be shared by nodes: " + e.getMessage(), e);
    }
    if (ClusterTick.hasRandomName(trigger.getKey())) {
      checkUnlikeOthers(trigger, name);
    }
  }

  private void checkUnlikeOthers(OperableTrigger trigger, String name)
      throws JobPersistenceException {
    for (TriggerKey key : getTriggerKeys(GroupMatcher.anyTriggerGroup())) {
      OperableTrigger other = retrieveTrigger(key);
      JobDetail job = other == null ? null : retrieveJob(other.getJobKey());
      if (job != null
          && !key.equals(trigger.getKey())
          && settings.isShared(other, job)
          && tick(other, job).name().equals(name)) {
        throw new JobPersistenceException(
            "another trigger without a name is "
                + name
                + " too, and nodes could not tell the two apart: name them by withIdentity(…)");
      }
    }
  }

  private ClusterTick tick(OperableTrigger trigger, JobDetail job) {
    Date next = trigger.getNextFireTime();
    String calendar = trigger.getCalendarName();
    return ClusterTick.of(
        schedulerName,
        trigger,
        job,
        (next == null ? trigger.getStartTime() : next).toInstant(),
        calendar == null ? null : retrieveCalendar(calendar));
  }

  // The scheduler's thread.

  @Override
  public List<OperableTrigger> acquireNextTriggers(
      long noLaterThan, int maxCount, long timeWindow) {
    List<OperableTrigger> ready = new ArrayList<>();
    for (Fire fire : fires().take(maxCount)) {
      ready.add(fire.before);
    }
    return ready.isEmpty() ? super.acquireNextTriggers(noLaterThan, maxCount, timeWindow) : ready;
  }

  @Override
  public void releaseAcquiredTrigger(OperableTrigger trigger) {
    if (!fires().putBack(trigger.getFireInstanceId())) {
      super.releaseAcquiredTrigger(trigger);
    }
  }

  /** Fires what needs nobody's leave, and what has it; of the rest Quartz hears later, or never. */
  @Override
  public List<TriggerFiredResult> triggersFired(List<OperableTrigger> firedTriggers) {
    Map<String, OperableTrigger> before = new HashMap<>();
    List<OperableTrigger> due = new ArrayList<>();
    for (OperableTrigger trigger : firedTriggers) {
      if (!fires().has(trigger.getFireInstanceId())) {
        before.put(trigger.getFireInstanceId(), (OperableTrigger) trigger.clone());
        due.add(trigger);
      }
    }
    Map<String, TriggerFiredBundle> bundles = new HashMap<>();
    for (TriggerFiredResult result : super.triggersFired(due)) {
      TriggerFiredBundle bundle = result.getTriggerFiredBundle();
      bundles.put(bundle.getTrigger().getFireInstanceId(), bundle);
    }
    List<TriggerFiredResult> results = new ArrayList<>();
    for (OperableTrigger trigger : firedTriggers) {
      String id = trigger.getFireInstanceId();
      OperableTrigger unfired = before.get(id);
      TriggerFiredBundle bundle =
          unfired == null ? fires().start(id) : fire(unfired, bundles.get(id));
      results.add(new TriggerFiredResult(bundle));
    }
    return results;
  }

  private @Nullable TriggerFiredBundle fire(
      OperableTrigger before, @Nullable TriggerFiredBundle bundle) {
    if (bundle == null) {
      return null;
    }
    JobDetail job = bundle.getJobDetail();
    boolean isShared = settings.isShared(before, job);
    boolean isExclusive = settings.isExclusive(job);
    if (!isShared && !isExclusive) {
      return bundle;
    }
    ClusterTick tick = isShared ? tick(before, job) : null;
    String lock = isExclusive ? ClusterTick.lock(schedulerName, job) : null;
    fires().begin(new Fire(fires(), before, bundle, tick, lock));
    return null;
  }

  // The scheduler's workers.

  @Override
  public void triggeredJobComplete(
      OperableTrigger trigger, JobDetail jobDetail, CompletedExecutionInstruction triggerInstCode) {
    super.triggeredJobComplete(trigger, jobDetail, triggerInstCode);
    boolean isStarted = triggerInstCode != CompletedExecutionInstruction.SET_ALL_JOB_TRIGGERS_ERROR;
    fires()
        .ended(
            trigger.getFireInstanceId(),
            isStarted ? null : new NotStartedException("its scheduler could not begin it"));
  }

  @Override
  public String getName() {
    return PawlJobStore.class.getName();
  }

  @Override
  public void jobToBeExecuted(JobExecutionContext context) {
    fires().began(context);
  }

  @Override
  public void jobExecutionVetoed(JobExecutionContext context) {}

  @Override
  public void jobWasExecuted(JobExecutionContext context, @Nullable JobExecutionException error) {
    fires().threw(context, error);
  }

  /** What fires need of this job store and its scheduler. */
  private final class Quartz implements FireQuartz {

    @Override
    public void wake() {
      signaler.signalSchedulingChange(0);
    }

    @Override
    public @Nullable String whyNot(Fire fire) {
      return switch (state(fire.before.getKey())) {
        case NONE -> "its trigger was removed from its scheduler";
        case PAUSED -> "its trigger is paused in its scheduler";
        default -> null;
      };
    }

    private TriggerState state(TriggerKey key) {
      try {
        return getTriggerState(key);
      } catch (JobPersistenceException e) {
        throw new IllegalStateException(e); // It is in memory.
      }
    }

    @Override
    public boolean isMisfire(OperableTrigger trigger) {
      return trigger.getMisfireInstruction() != Trigger.MISFIRE_INSTRUCTION_IGNORE_MISFIRE_POLICY
          && trigger
              .getNextFireTime()
              .toInstant()
              .isBefore(Instant.now().minusMillis(getMisfireThreshold()));
    }

    @Override
    public void over(Fire fire) {
      boolean isLast = fire.fired.getNextFireTime() == null;
      end(
          fire,
          isLast
              ? CompletedExecutionInstruction.DELETE_TRIGGER
              : CompletedExecutionInstruction.NOOP);
      if (isLast) {
        signaler.notifySchedulerListenersFinalized(fire.fired);
      }
    }

    private void end(Fire fire, CompletedExecutionInstruction instruction) {
      // The job as it is now: its data may have changed since.
      JobDetail job = retrieveJob(fire.before.getJobKey());
      PawlJobStore.super.triggeredJobComplete(
          fire.fired, job == null ? fire.job() : job, instruction);
    }

    /** Sets the trigger back to before it fired: what is due now, its own policy says. */
    @Override
    public void misfired(Fire fire) {
      TriggerKey key = fire.before.getKey();
      OperableTrigger now = retrieveTrigger(key);
      boolean isAsItWas =
          now != null
              && isSame(now.getNextFireTime(), fire.fired.getNextFireTime())
              && state(key) != TriggerState.PAUSED;
      try {
        if (isAsItWas && replaceTrigger(key, fire.before)) {
          end(fire, CompletedExecutionInstruction.NOOP);
          wake();
          return;
        }
      } catch (JobPersistenceException e) {
        failed(fire + " is missed here: " + e.getMessage());
      }
      missed(fire);
      over(fire);
    }

    private boolean isSame(@Nullable Date one, @Nullable Date other) {
      return Optional.ofNullable(one)
          .map(Date::toInstant)
          .equals(Optional.ofNullable(other).map(Date::toInstant));
    }

    @Override
    public void missed(Fire fire) {
      signaler.notifyTriggerListenersMisfired(fire.before);
    }

    @Override
    public void failed(String message) {
      signaler.notifySchedulerListenersError(message, new FireException(message));
    }
  }
}
