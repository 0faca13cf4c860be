package dev.pawl.quartz;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.quartz.JobDetail;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.TriggerFiredBundle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One fire of a trigger on this node, from the moment at which Quartz alone would have run it: asks
 * for its tick, or for the lock of its job, has Quartz run it if it gets it, and is gone without a
 * trace if another node does.
 */
final class Fire {

  private static final Logger LOG = LoggerFactory.getLogger(PawlJobStore.class);

  /** How long a fire that has its tick waits for a thread of Quartz before others may have it. */
  private static final Duration FOR_A_THREAD = Duration.ofSeconds(1);

  /** A fire that had to wait for longer than this waited for another node. */
  private static final Duration IMMEDIATE = Duration.ofSeconds(1);

  /** What becomes of a fire that was granted and did not run. */
  private enum Next {
    END,
    ASK_AGAIN,
    RETRY,
    MISFIRE
  }

  /** The trigger before it fired, and after. */
  final OperableTrigger before;

  final OperableTrigger fired;
  final @Nullable ClusterTick tick;
  final FireStage stage = new FireStage();
  final FireWork work = new FireWork(this);
  final FireOutage outage = new FireOutage();

  private final Fires fires;
  private final FireBundle bundle;
  private final @Nullable String lockName;
  private volatile @Nullable Future<?> asked;

  /** The lock of a fire that has no tick. */
  private volatile @Nullable Lease ownLock;

  private volatile long askedNanos;

  /** Whether it waits to ask again, and so for no answer. */
  private volatile boolean waitsToAsk;

  private volatile Next next = Next.END;

  /**
   * A fire.
   *
   * @param before the trigger as it was before it fired
   * @param tick what it is in the cluster; null if it is of this node alone
   * @param lockName the lock it has to hold, if there is one
   */
  Fire(
      Fires fires,
      OperableTrigger before,
      TriggerFiredBundle bundle,
      @Nullable ClusterTick tick,
      @Nullable String lockName) {
    this.fires = fires;
    this.before = before;
    this.fired = (OperableTrigger) bundle.getTrigger().clone();
    this.bundle = new FireBundle(bundle);
    this.tick = tick;
    this.lockName = lockName;
  }

  String id() {
    return before.getFireInstanceId();
  }

  JobDetail job() {
    return bundle.job();
  }

  Instant time() {
    return before.getNextFireTime().toInstant();
  }

  /** Tells whether another fire is of the same trigger, for all nodes. */
  boolean isLike(Fire other) {
    return tick != null && other.tick != null && tick.name().equals(other.tick.name());
  }

  boolean isForAPeriod() {
    return tick != null && tick.tick() instanceof Job.Tick.Every;
  }

  // Asking.

  void ask() {
    waitsToAsk = false;
    if (stage.isWithdrawn()) {
      fires.notRun(this);
      return;
    }
    next = Next.END;
    askedNanos = System.nanoTime();
    ClusterTick shared = tick;
    try {
      if (shared == null) {
        askForTheLock(fires.lock(Objects.requireNonNull(lockName, "a tick or a lock")));
      } else {
        askForTheTick(shared);
      }
    } catch (RuntimeException e) { // Its node is closed, and not asked at all.
      notAnswered(e);
    }
  }

  private void askForTheTick(ClusterTick shared) {
    var answer = fires.job(shared.name()).runOrStandBy(shared.tick(), this::runUnderTheTick);
    waitFor(answer);
    var unused =
        answer.whenComplete(
            (outcome, error) -> {
              if (error != null) {
                notAnswered(error);
              } else {
                answered(outcome);
              }
            });
  }

  private void askForTheLock(JobLock lock) {
    var answer = lock.acquire();
    waitFor(answer);
    var unused =
        answer.whenComplete(
            (lease, error) -> {
              if (error != null) {
                notAnswered(error);
                return;
              }
              ownLock = lease;
              if (!offer(new QuartzRun(null, lease))) {
                JobLock.release(lease);
                fires.notRun(this);
              }
            });
  }

  /** Has an answer cancelled when the fire is withdrawn. */
  private void waitFor(Future<?> answer) {
    asked = answer;
    if (stage.isWithdrawn()) {
      answer.cancel(true);
    }
  }

  private void askLater(Duration wait) {
    waitsToAsk = true;
    fires.later(wait, this);
    if (stage.isWithdrawn()) {
      fires.notRun(this); // It was a moment ago, when there seemed to be an answer to cancel.
    }
  }

  /** Gives the fire up, unless it runs already. */
  void withdraw() {
    Future<?> waiting = asked;
    if (!stage.withdraw()) {
      return;
    }
    if (waitsToAsk) {
      fires.notRun(this);
    } else if (waiting != null) {
      waiting.cancel(true);
    }
    if (giveTheLockBack()) {
      fires.notRun(this);
    }
  }

  /** Gives back the lock of a fire that has no tick; false if it has none. */
  private boolean giveTheLockBack() {
    Lease lease = ownLock;
    if (lease == null) {
      return false;
    }
    ownLock = null;
    JobLock.release(lease);
    return true;
  }

  // Having it.

  private void runUnderTheTick(Job.Run run) throws Exception {
    Lease lock = null;
    try {
      if (lockName != null) {
        lock = fires.lock(lockName).await(this::waitFor);
      }
      runByQuartz(run, lock);
    } catch (StoreUnavailableException | OutcomeUnknownException e) {
      outage.happened(e);
      leave(run, Next.RETRY, "the lock of its job cannot be asked for: " + e.getMessage());
    } catch (InterruptedException | CancellationException e) {
      leave(run, Next.END, "its scheduler is stopping");
    } finally {
      if (lock != null) {
        JobLock.release(lock);
      }
    }
  }

  private void runByQuartz(Job.Run run, @Nullable Lease lock) throws JobFailedException {
    String reason = fires.whyNot(this);
    if (reason != null) {
      leave(run, Next.END, reason);
    } else if (outage.hasHappened() && fires.isMisfire(before)) {
      leave(run, Next.MISFIRE, "it is too late for it: the store could not be reached");
    } else if (!offer(new QuartzRun(run, lock))) {
      leave(run, Next.END, "its scheduler is stopping");
    } else if (!stage.awaitStart(FOR_A_THREAD)) {
      boolean isStopping = stage.isWithdrawn();
      leave(
          run,
          isStopping ? Next.END : Next.ASK_AGAIN,
          isStopping ? "its scheduler is stopping" : "no thread of its scheduler is free");
    } else {
      Exception failure = stage.awaitEnd();
      if (failure instanceof NotStartedException) {
        run.leave(String.valueOf(failure.getMessage()));
      } else if (failure != null) {
        throw new JobFailedException(failure);
      }
    }
  }

  private void leave(Job.Run run, Next then, String reason) {
    next = then;
    run.leave(reason);
  }

  private boolean offer(QuartzRun run) {
    boolean isTakeOver =
        run.tick().isPresent() && System.nanoTime() - askedNanos > IMMEDIATE.toNanos();
    if (!stage.offer(run, bundle.toRun(isTakeOver))) {
      return false;
    }
    if (isTakeOver) {
      LOG.info("{} runs here: whoever had it before did not end it, or was slow", this);
    }
    fires.ready(this);
    run.onLost(work::lost);
    return true;
  }

  /** Quartz was to begin it and may not. A fire that has a tick is told of that where it waits. */
  void notBegun() {
    if (tick == null && stage.isAsking() && giveTheLockBack()) {
      askLater(FOR_A_THREAD);
    }
  }

  /** Quartz has ended it. */
  void ended(@Nullable Exception notStarted) {
    var unused = end(notStarted != null ? notStarted : work.thrown());
  }

  /** Quartz has dropped it; false if it had ended before. */
  boolean dropped() {
    return end(null);
  }

  private boolean end(@Nullable Exception failure) {
    boolean hasRun = stage.end(failure);
    if (hasRun && giveTheLockBack()) {
      fires.settled(this);
    }
    return hasRun;
  }

  // What it came to.

  private void answered(Job.Outcome<?> outcome) {
    LOG.debug("{}: {}", this, outcome);
    if (stage.isStarted()) {
      if (outcome instanceof Job.Outcome.Failed<?> failed
          && !(failed.error() instanceof JobFailedException)) {
        LOG.warn("{} ended, but may not have been alone: {}", this, failed.error().getMessage());
      }
      fires.settled(this);
    } else if (next == Next.ASK_AGAIN) {
      askLater(FOR_A_THREAD);
    } else if (next == Next.RETRY) {
      retry();
    } else if (next == Next.MISFIRE) {
      fires.misfired(this);
    } else {
      if (outage.hasHappened()) {
        LOG.info("{}: the store answers again; another node has run it", this);
      }
      fires.notRun(this);
    }
  }

  private void notAnswered(Throwable error) {
    Throwable cause =
        error instanceof CompletionException wrapper && wrapper.getCause() != null
            ? wrapper.getCause()
            : error;
    if (stage.isStarted()) {
      LOG.warn(
          "{} ended, and nobody knows what became of its tick: {}", this, String.valueOf(cause));
      fires.settled(this);
    } else if (stage.isWithdrawn()) {
      fires.notRun(this);
    } else if (FireOutage.isOutage(cause)) {
      outage.happened(cause);
      retry();
    } else {
      fires.failed(this + " is not run here: " + cause.getMessage());
      fires.notRun(this);
    }
  }

  /** An outage is not contention: the tick is still to be run by somebody. */
  private void retry() {
    if (outage.isFirst()) {
      fires.failed(
          this
              + " cannot run yet: "
              + outage.reason()
              + "; it is asked for again until the store answers or the trigger's next time comes");
    }
    askLater(outage.backOff());
  }

  @Override
  public String toString() {
    return "trigger " + before.getKey() + " of job " + before.getJobKey() + " at " + time();
  }
}
