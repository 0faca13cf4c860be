package dev.pawl.engine;

import dev.pawl.Job;
import dev.pawl.OutcomeUnknownException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One run of a job under its lease, and what the store is told about its end. */
final class JobRun implements Job.Run {

  private final Engine engine;
  private final JobJournal journal;
  private final String job;
  private final NodeJob.Terms terms;
  private final HeldLease lease;
  private final Instant tick;
  private final CompletableFuture<?> mayRaiseMark;
  private final long startMicros;

  JobRun(
      Engine engine,
      JobJournal journal,
      String job,
      NodeJob.Terms terms,
      HeldLease lease,
      Instant tick,
      CompletableFuture<?> mayRaiseMark) {
    this.engine = engine;
    this.journal = journal;
    this.job = job;
    this.terms = terms;
    this.lease = lease;
    this.tick = tick;
    this.mayRaiseMark = mayRaiseMark;
    this.startMicros = lease.claim().queue.storeMicros(lease.sinceNanos);
  }

  /** Runs the body in this thread; the future has the outcome when the store knows of it. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> call(Job.Body<T> body) {
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
      return failed(e);
    } catch (Error e) {
      var unused = failed(new IllegalStateException(e));
      return CompletableFuture.failedFuture(e);
    } finally {
      engine.timers().cancel(bound);
      if (interrupted) {
        Thread.currentThread().interrupt(); // Only now: a driver may not bear it.
      }
    }
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> completed(T result) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, null);
    }
    CompletableFuture<Boolean> noted = note(Job.PastRun.Ending.RAN, took, null);
    return finish(noted, took, new Job.Outcome.Ran<>(result, token(), took));
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failed(Exception error) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, error);
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
                                noted.isOf(tick)
                                    && noted.run().ending() == Job.PastRun.Ending.RETRIED)
                        .count()
                    < terms.retries())
        .exceptionally(unread -> false)
        .thenCompose(
            left ->
                left
                    ? note(Job.PastRun.Ending.RETRIED, took, error)
                    : CompletableFuture.completedFuture(false));
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failedForGood(
      Duration took, Exception error) {
    CompletableFuture<Boolean> noted = note(Job.PastRun.Ending.FAILED, took, error);
    return finish(noted, took, new Job.Outcome.Failed<>(error, token(), took, false));
  }

  /** The mark stays where it is: whoever has the name now does the tick again. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> lost(
      Duration took, @Nullable Exception error) {
    var unusedNote = note(Job.PastRun.Ending.LOST, took, error);
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
          Ending<Boolean> ending =
              lease.claim().queue.finish(lease, tick.toEpochMilli(), keepMicros);
          if (ending == null) {
            engine.releaseInBackground(lease);
            return CompletableFuture.completedFuture(lostOutcome(took, null));
          }
          return noted
              .thenCompose(done -> ending.answer())
              .handle(
                  (isDone, failure) ->
                      failure != null
                          ? unknown(engine, lease, failure)
                          : isDone ? outcome : lostOutcome(took, null));
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

  private CompletableFuture<Boolean> note(
      Job.PastRun.Ending ending, Duration took, @Nullable Exception error) {
    return journal.note(lease, tick, startMicros, took, ending, error);
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
  public void onLost(Runnable action) {
    lease.onLost(action);
  }

  /** The end of the time a run may take. */
  private final class Bound extends Timed {
    @Override
    void fire(long nowNanos, RenewalBatch batch) {
      lease.claim().queue.expire(lease, "it ran for longer than its " + terms.most());
    }
  }
}
