package dev.pawl.quartz;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobListener;
import org.quartz.JobPersistenceException;
import org.quartz.Trigger.CompletedExecutionInstruction;
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

  /** For the store to be told how the last runs ended. */
  private static final Duration FOR_THE_LAST = Duration.ofSeconds(5);

  private final StoreSettings settings = new StoreSettings();
  private final FireQuartz quartz = new StoreQuartz(this);
  private final StoreNode node;
  private final SharedTriggers sharing = new SharedTriggers(this, settings);
  private @Nullable Fires fires;

  /** For Quartz, which makes it by its name. */
  public PawlJobStore() {
    node = new StoreNode(null);
  }

  /** A job store on a node of the application's, which the application closes. */
  public PawlJobStore(Pawl pawl) {
    node = new StoreNode(Objects.requireNonNull(pawl, "pawl"));
  }

  /**
   * Has job stores that name no store of their own use this node, if their scheduler is made from
   * now on. The application closes it, after the scheduler's shutdown.
   */
  public static void use(Pawl pawl) {
    StoreNode.use(pawl);
  }

  /** Has the job store of the scheduler of that name use this node, as {@link #use(Pawl)} does. */
  public static void use(String schedulerName, Pawl pawl) {
    StoreNode.use(schedulerName, pawl);
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
    sharing.scheduler(name);
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
    Pawl pawl = node.open(sharing.scheduler(), settings);
    fires = new Fires(quartz, pawl, settings.options(), settings.retryElsewhere());
    getLog()
        .info("Pawl decides who fires: scheduler {}, node {}", sharing.scheduler(), pawl.label());
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
      last.close(node::close, FOR_THE_LAST);
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
    sharing.check(newTrigger, fires());
    super.storeTrigger(newTrigger, replaceExisting);
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
    ClusterTick tick = isShared ? sharing.tick(before, job) : null;
    String lock = isExclusive ? sharing.lock(job) : null;
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

  // For what fires need of Quartz.

  SchedulerSignaler signaler() {
    return signaler;
  }

  /** Ends a fire as {@link RAMJobStore} does, without the cluster. */
  void completeHere(
      OperableTrigger trigger, JobDetail job, CompletedExecutionInstruction instruction) {
    super.triggeredJobComplete(trigger, job, instruction);
  }
}
