package dev.pawl.quartz;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LeaseLostException;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.quartz.DisallowConcurrentExecution;
import org.quartz.JobExecutionContext;

/**
 * What a Quartz job that runs under Pawl has of the cluster: its fencing token, and whether it may
 * still count on being the only one.
 *
 * <pre>{@code
 * public void execute(JobExecutionContext context) {
 *   QuartzRun run = QuartzRun.of(context).orElseThrow();
 *   invoices.settle(run.token());
 * }
 * }</pre>
 *
 * <p>Of a job with {@link DisallowConcurrentExecution} token and lease are those of the job,
 * whichever of its triggers fired; of any other they are those of its trigger. A run that needs
 * nobody's leave has none: one by {@code triggerJob} of a job that may run concurrently, and all
 * runs of jobs that run on every node.
 */
public final class QuartzRun {

  static final String KEY = QuartzRun.class.getName();

  private final Job.@Nullable Run run;
  private final @Nullable Lease lease;

  QuartzRun(Job.@Nullable Run run, @Nullable Lease lease) {
    if (run == null && lease == null) {
      throw new IllegalArgumentException("neither a tick nor a lock");
    }
    this.run = run;
    this.lease = lease;
  }

  /** Returns what the run of that context has; empty if it does not run under Pawl. */
  public static Optional<QuartzRun> of(JobExecutionContext context) {
    return context.get(KEY) instanceof QuartzRun run ? Optional.of(run) : Optional.empty();
  }

  /** Returns the tick that is run; empty for a run by {@code triggerJob}. */
  public Optional<Instant> tick() {
    return run == null ? Optional.empty() : Optional.of(run.tick());
  }

  /** Returns the fencing token: higher than that of every earlier run. */
  @SuppressWarnings("NullAway") // One of the two is there.
  public long token() {
    return lease != null ? lease.token() : run.token();
  }

  /** Tells, without a round trip, whether this run may still count on being the only one. */
  public boolean isHeld() {
    return (run == null || run.isHeld()) && (lease == null || lease.isHeld());
  }

  /**
   * Returns only if this run may still count on being the only one.
   *
   * @throws LeaseLostException if it may not
   */
  public void ensureHeld() {
    if (run != null) {
      run.ensureHeld();
    }
    if (lease != null) {
      lease.ensureHeld();
    }
  }

  /**
   * Asks the store whether this run is still the only one, and returns only if it is: for the
   * moment before a commit.
   *
   * @throws LeaseLostException if it is not
   * @throws dev.pawl.StoreUnavailableException if the store cannot be asked; the run is as it was
   * @throws dev.pawl.OutcomeUnknownException if it did not answer; the run is as it was
   */
  public void confirm() {
    if (run != null) {
      run.confirm();
    }
    if (lease != null) {
      lease.confirm();
    }
  }

  /** Runs {@code action} when the run is lost; at once if it is already. */
  public void onLost(Runnable action) {
    Objects.requireNonNull(action, "action");
    AtomicBoolean told = new AtomicBoolean();
    Runnable once =
        () -> {
          if (told.compareAndSet(false, true)) {
            action.run();
          }
        };
    if (run != null) {
      run.onLost(once);
    }
    if (lease != null) {
      lease.onLost(once);
    }
  }

  @Override
  public String toString() {
    return (run == null ? "run" : "run of " + run.job() + " for " + run.tick())
        + ", token "
        + token();
  }
}
