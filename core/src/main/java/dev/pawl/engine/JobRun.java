package dev.pawl.engine;

import dev.pawl.Job;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PastRun;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One run of a job under its lease, and what the store is told about its end. */
final class JobRun implements Job.Run {

  private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

  /** Hosts in any time zone, and days of business that have begun elsewhere. */
  private static final Duration MOST_AHEAD = Duration.ofDays(1);

  private final Engine engine;
  private final JobJournal journal;
  private final String job;
  private final NodeJob.Terms terms;
  private final HeldLease lease;
  private final Job.Tick schedule;
  private final Instant tick;
  private final long startMicros;
  private CompletableFuture<?> mayRaiseMark = CompletableFuture.completedFuture(true);
  private volatile @Nullable String left;

  JobRun(
      Engine engine,
      JobJournal journal,
      String job,
      NodeJob.Terms terms,
      HeldLease lease,
      Job.Tick schedule,
      Due due) {
    this.engine = engine;
    this.journal = journal;
    this.job = job;
    this.terms = terms;
    this.lease = lease;
    this.schedule = schedule;
    this.tick = Instant.ofEpochMilli(due.tick());
    this.startMicros = lease.claim().queue.storeMicros(lease.sinceNanos);
  }

  /** Tells whether the tick is a mistake: with it, the job would not run again for long. */
  boolean isTooFarAhead() {
    return startMicros > 0 && tick.toEpochMilli() - startMicros / 1_000 > MOST_AHEAD.toMillis();
  }

  /**
   * Runs the body in this thread; the future has the outcome when the store knows of it.
   *
   * @param mayRaise when the mark may be raised
   */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> call(
      Job.Body<T> body, CompletableFuture<?> mayRaise) {
    mayRaiseMark = mayRaise;
    Bound bound = new Bound();
    if (!terms.most().isZero()) {
      engine.timers().set(bound, lease.sinceNanos + terms.most().toNanos());
    }
    Shift shift = new Shift();
    boolean interrupted = false;
    try {
      T result = shift.work(lease, () -> body.run(this));
      return completed(result);
    } catch (Exception e) {
      interrupted = e instanceof InterruptedException && !shift.isInterrupted();
      if (!shift.isInterrupted()) {
        log(e);
      }
      return failed(e);
    } catch (Error e) {
      log(e);
      var unused = failed(new IllegalStateException(e));
      return CompletableFuture.failedFuture(e);
    } finally {
      engine.timers().cancel(bound);
      if (interrupted) {
        Thread.currentThread().interrupt(); // Only now: a driver may not bear it.
      }
    }
  }

  /** Here, and nowhere else: many a caller does not look at the outcome. */
  private void log(Throwable error) {
    LOG.warn(
        "job {} failed on {}, tick {}, token {}: {}",
        Names.quote(job),
        engine.label(),
        tick,
        token(),
        error,
        error);
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> completed(T result) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, null);
    }
    String reason = left;
    if (reason != null) {
      return leave(took, reason);
    }
    CompletableFuture<Boolean> noted = note(PastRun.Ending.RAN, took, null);
    return finish(noted, took, new Job.Outcome.Ran<>(result, token(), took));
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failed(Exception error) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, error);
    }
    String reason = left;
    if (reason != null) {
      return leave(took, reason);
    }
    if (terms.retries() == 0) {
      return failedForGood(took, error);
    }
    return leftToAnother(took, error)
        .thenCompose(
            left ->
                left
                    ? engine
                        .releaseAsync(lease)
                        .handle(
                            (released, failure) ->
                                new Job.Outcome.Failed<>(error, token(), took, true))
                    : failedForGood(took, error));
  }

  /** The mark stays where it is, and the name is free. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> leave(
      Duration took, String reason) {
    return journal
        .note(lease, tick, startMicros, took, PastRun.Ending.LEFT, reason)
        .thenCompose(noted -> engine.releaseAsync(lease))
        .handle((released, failure) -> new Job.Outcome.Left<>(reason, token(), took));
  }

  /**
   * Notes that the tick is left to another node, unless it has failed as often as told. The journal
   * is where all nodes see how often that was. If it cannot be read or written, the tick is not
   * left to another: a failure that is not counted would let it fail for ever.
   */
  private CompletableFuture<Boolean> leftToAnother(Duration took, Exception error) {
    return journal
        .runs()
        .thenApply(
            runs ->
                runs.stream()
                        .filter(
                            noted ->
                                Due.isSame(
                                        schedule,
                                        noted.run().tick().toEpochMilli(),
                                        tick.toEpochMilli())
                                    && noted.run().ending() == PastRun.Ending.RETRIED)
                        .count()
                    < terms.retries())
        .exceptionally(unread -> false)
        .thenCompose(
            left ->
                left
                    ? note(PastRun.Ending.RETRIED, took, error)
                    : CompletableFuture.completedFuture(false));
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failedForGood(
      Duration took, Exception error) {
    CompletableFuture<Boolean> noted = note(PastRun.Ending.FAILED, took, error);
    return finish(noted, took, new Job.Outcome.Failed<>(error, token(), took, false));
  }

  /** The mark stays where it is: whoever has the name now does the tick again. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> lost(
      Duration took, @Nullable Exception error) {
    var unusedNote = note(PastRun.Ending.LOST, took, error);
    var unused = engine.releaseAsync(lease);
    return CompletableFuture.completedFuture(lostOutcome(took, error));
  }

  private <T extends @Nullable Object> Job.Outcome<T> lostOutcome(
      Duration took, @Nullable Exception error) {
    Exception lost = engine.isClosed() ? engine.closedException() : lease.lost();
    if (error != null) {
      lost.addSuppressed(error);
    }
    return new Job.Outcome.Failed<>(lost, token(), took, true);
  }

  /** Has the tick done in the store; {@code outcome} holds if the store agrees. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> finish(
      CompletableFuture<Boolean> noted, Duration took, Job.Outcome<T> outcome) {
    return mayRaiseMark.thenCompose(
        looked -> {
          long keepMicros = terms.least().minus(took).toNanos() / 1_000;
          Ending<TickEnd.Result> ending =
              lease
                  .claim()
                  .queue
                  .finish(lease, tick.toEpochMilli(), Due.keepMicros(schedule), keepMicros);
          if (ending == null) {
            engine.releaseInBackground(lease);
            return CompletableFuture.completedFuture(lostOutcome(took, null));
          }
          return noted
              .thenCompose(done -> ending.answer())
              .handle(
                  (end, failure) ->
                      failure != null
                          ? unknown(engine, lease, failure)
                          : switch (end) {
                            case DONE -> outcome;
                            case LOST -> lostOutcome(took, null);
                            case IN_DOUBT -> inDoubt(took);
                          });
        });
  }

  /** The outcome of a run whose end the store could not be told. */
  static <T extends @Nullable Object> Job.Outcome<T> unknown(
      Engine engine, HeldLease lease, @Nullable Throwable failure) {
    return new Job.Outcome.Failed<>(
        new OutcomeUnknownException(
            "the run of "
                + lease
                + " ended, but "
                + engine.store().describe()
                + " could not be told yet; another node may run the tick again",
            failure == null ? null : Failures.unwrap(failure)),
        lease.token(),
        Duration.ofNanos(engine.now() - lease.sinceNanos),
        true);
  }

  /** The outcome of a run of which nobody knows whether it, or another, has done the tick. */
  private <T extends @Nullable Object> Job.Outcome<T> inDoubt(Duration took) {
    return new Job.Outcome.Failed<>(
        new OutcomeUnknownException(
            "the run of "
                + lease
                + " ended, and its tick is done; but another node has had the job since, and may"
                + " have run the tick too: look at its runs",
            null),
        token(),
        took,
        false);
  }

  private CompletableFuture<Boolean> note(
      PastRun.Ending ending, Duration took, @Nullable Exception error) {
    String text = error == null ? null : error.toString();
    return journal.note(lease, tick, startMicros, took, ending, text);
  }

  private Duration took() {
    return Duration.ofNanos(engine.now() - lease.sinceNanos);
  }

  @Override
  public String job() {
    return job;
  }

  @Override
  public Instant tick() {
    return tick;
  }

  @Override
  public long token() {
    return lease.token();
  }

  @Override
  public boolean isHeld() {
    return lease.isHeld();
  }

  @Override
  public Duration remaining() {
    return lease.remaining();
  }

  @Override
  public void ensureHeld() {
    lease.ensureHeld();
  }

  @Override
  public void confirm() {
    lease.confirm();
  }

  @Override
  public void onLost(Runnable action) {
    lease.onLost(action);
  }

  @Override
  public void leave(String reason) {
    left = Objects.requireNonNull(reason, "reason");
  }

  /** The end of the time a run may take. */
  private final class Bound extends Timed {
    @Override
    void fire(long nowNanos, RenewalBatch batch) {
      lease.claim().queue.expire(lease, "it ran for longer than its " + terms.most());
    }
  }
}
