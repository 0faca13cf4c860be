package dev.pawl.quartz;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.quartz.JobExecutionContext;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.TriggerFiredBundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The fires of this node that wait for their turn in the cluster, or run. */
final class Fires {

  private static final Logger LOG = LoggerFactory.getLogger(PawlJobStore.class);

  private final FireQuartz quartz;
  private final Pawl pawl;
  private final LockOptions options;
  private final int retryElsewhere;
  private final Cleaner cleaner = Cleaner.create();
  private final ScheduledThreadPoolExecutor timer;
  private final FireSet all = new FireSet();
  private final Queue<Fire> ready = new ConcurrentLinkedQueue<>();
  private volatile boolean isStopped = true;

  Fires(FireQuartz quartz, Pawl pawl, LockOptions options, int retryElsewhere) {
    this.quartz = quartz;
    this.pawl = pawl;
    this.options = options;
    this.retryElsewhere = retryElsewhere;
    this.timer =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread thread = new Thread(task, "pawl-quartz-retry");
              thread.setDaemon(true);
              return thread;
            });
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  Job job(String name) {
    return pawl.job(name, options).retryElsewhere(retryElsewhere);
  }

  JobLock lock(String name) {
    return new JobLock(pawl.lock(name, options));
  }

  // From Quartz: its triggers fire, and it runs what it is given.

  /** Begins a fire, which comes back as {@link #take ready} if it may run here. */
  void begin(Fire fire) {
    List<Fire> waiting = new ArrayList<>();
    for (Fire other : all.waitingLike(fire)) {
      if (other.outage.hasHappened()) {
        LOG.warn("{} is missed here: its trigger has fired again meanwhile", other);
        other.withdraw();
      } else {
        waiting.add(other);
      }
    }
    all.add(fire);
    if (isStopped) {
      fire.withdraw();
    } else if (fire.isForAPeriod() && !waiting.isEmpty()) {
      fire.withdraw(); // The one that waits is for the same period.
    } else {
      passOver(fire, waiting);
    }
    fire.ask();
  }

  /**
   * A run that takes longer than its trigger's period must not leave a queue behind that no node
   * ever works off. So of the times that wait for it, only the latest stays; and the earliest, if
   * the run is not of this node, which may have died in it.
   */
  private void passOver(Fire fire, List<Fire> waiting) {
    boolean isRunHere =
        all.all().stream().anyMatch(other -> other.isLike(fire) && other.stage.isStarted());
    int mayStay = isRunHere ? 0 : 1;
    waiting.stream()
        .sorted(Comparator.comparing(Fire::time))
        .skip(mayStay)
        .forEach(
            other -> {
              if (isRunHere) {
                LOG.warn("{} is passed over: the run of an earlier time still goes on", other);
              }
              other.withdraw();
            });
  }

  /** Returns fires that Quartz may run now. */
  List<Fire> take(int most) {
    List<Fire> taken = new ArrayList<>();
    Fire next = null;
    while (taken.size() < most && (next = ready.poll()) != null) {
      if (next.stage.take()) {
        taken.add(next);
      }
    }
    return taken;
  }

  /** Puts back what the scheduler's thread took and did not run; false if it is none of these. */
  boolean putBack(String id) {
    Fire fire = all.find(id);
    if (fire != null && fire.stage.putBack()) {
      ready.add(fire);
      return true;
    }
    return false;
  }

  boolean has(String id) {
    return all.find(id) != null;
  }

  /** Returns what Quartz is to run for a fire that it took; null if it may not run any more. */
  @Nullable TriggerFiredBundle start(String id) {
    Fire fire = all.find(id);
    if (fire == null) {
      return null;
    }
    TriggerFiredBundle bundle = fire.stage.start();
    if (bundle == null) {
      fire.notBegun();
      return null;
    }
    // A listener that throws makes Quartz drop a run without a word to its job store.
    var unused = cleaner.register(bundle.getTrigger(), new Dropped(this, id));
    return bundle;
  }

  void began(JobExecutionContext context) {
    Thread thread = Thread.currentThread();
    for (Fire other : all.all()) {
      if (!other.id().equals(context.getFireInstanceId()) && other.work.isDoneBy(thread)) {
        dropped(other.id());
      }
    }
    Fire fire = all.find(context.getFireInstanceId());
    if (fire != null) {
      fire.work.began(context);
    }
  }

  void threw(JobExecutionContext context, @Nullable Exception error) {
    Fire fire = all.find(context.getFireInstanceId());
    if (fire != null) {
      fire.work.threw(error);
    }
  }

  void ended(String id, @Nullable NotStartedException notStarted) {
    Fire fire = all.find(id);
    if (fire != null) {
      fire.ended(notStarted);
    }
  }

  private void dropped(String id) {
    Fire fire = all.find(id);
    if (fire != null && fire.dropped()) {
      failed(fire + " was dropped by Quartz: does one of its listeners throw?");
      quartz.over(fire);
    }
  }

  /** Nobody has the trigger of a run any more. */
  private record Dropped(Fires fires, String id) implements Runnable {
    @Override
    public void run() {
      fires.dropped(id);
    }
  }

  // From the fires.

  void ready(Fire fire) {
    ready.add(fire);
    quartz.wake();
  }

  /** Returns why a fire may not run here now; null if it may. */
  @Nullable String whyNot(Fire fire) {
    return isStopped ? "its scheduler is stopping" : quartz.whyNot(fire);
  }

  boolean isMisfire(OperableTrigger trigger) {
    return quartz.isMisfire(trigger);
  }

  void later(Duration wait, Fire fire) {
    try {
      var unused = timer.schedule(fire::ask, wait.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      notRun(fire);
    }
  }

  /** Tells the scheduler's listeners; one of Quartz' own logs it as an error. */
  void failed(String message) {
    quartz.failed(message);
  }

  /** Ends a fire that did not run here. */
  void notRun(Fire fire) {
    all.remove(fire, () -> quartz.over(fire));
  }

  /** Has Quartz decide what is to become of a fire that is too late. */
  void misfired(Fire fire) {
    all.remove(fire, () -> quartz.misfired(fire));
  }

  /** Ends a fire that ran here, of whose end the store has been told. */
  void settled(Fire fire) {
    all.remove(fire, () -> {});
  }

  boolean isIdle() {
    return all.size() == 0;
  }

  // The life of the scheduler.

  void resume() {
    isStopped = false;
  }

  /** Leaves to others what waits here; what runs goes on. */
  void pause() {
    isStopped = true;
    all.all().forEach(Fire::withdraw);
  }

  /**
   * Ends for good, when the last run has ended; waits for the store to be told of those that have.
   */
  void close(Runnable last, Duration wait) {
    pause();
    timer.shutdown();
    if (all.awaitNone(wait)) {
      last.run();
      return;
    }
    LOG.info("{} runs go on after the shutdown, and keep their leases until they end", all.size());
    Thread thread =
        new Thread(
            () -> {
              while (!all.awaitNone(Duration.ofMinutes(1))) {
                LOG.info("{} runs still go on after the shutdown", all.size());
              }
              last.run();
            },
            "pawl-quartz-close");
    thread.setDaemon(true);
    thread.start();
  }
}
