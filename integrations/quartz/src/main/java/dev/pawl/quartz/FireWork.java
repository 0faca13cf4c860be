package dev.pawl.quartz;

import java.lang.ref.WeakReference;
import org.jspecify.annotations.Nullable;
import org.quartz.InterruptableJob;
import org.quartz.JobExecutionContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of a fire in a thread of Quartz: who does it, and what it threw. The references are
 * weak, so that a run which Quartz has dropped can be told from one that goes on.
 */
final class FireWork {

  private static final Logger LOG = LoggerFactory.getLogger(PawlJobStore.class);

  private final Fire fire;
  private volatile WeakReference<@Nullable JobExecutionContext> context = new WeakReference<>(null);
  private volatile WeakReference<@Nullable Thread> worker = new WeakReference<>(null);
  private volatile @Nullable Exception thrown;

  FireWork(Fire fire) {
    this.fire = fire;
  }

  void began(JobExecutionContext begun) {
    QuartzRun run = fire.stage.run();
    if (run != null) {
      begun.put(QuartzRun.KEY, run);
      context = new WeakReference<>(begun);
      worker = new WeakReference<>(Thread.currentThread());
      thrown = null;
      if (!run.isHeld()) {
        lost();
      }
    }
  }

  boolean isDoneBy(Thread thread) {
    return worker.refersTo(thread);
  }

  void threw(@Nullable Exception error) {
    thrown = error;
  }

  @Nullable Exception thrown() {
    return thrown;
  }

  /** Interrupts a job that has lost its lease, if it can be interrupted. */
  void lost() {
    if (!fire.stage.isStarted()) {
      return;
    }
    JobExecutionContext running = context.get();
    if (running != null && running.getJobInstance() instanceof InterruptableJob job) {
      LOG.warn("{} has lost its lease, and is interrupted: another node may run it", fire);
      try {
        job.interrupt();
      } catch (Exception e) {
        LOG.warn("{} could not be interrupted: {}", fire, e, e);
      }
    } else {
      LOG.warn(
          "{} has lost its lease, and goes on, since its job is no InterruptableJob: another node"
              + " may run it meanwhile",
          fire);
    }
  }
}
