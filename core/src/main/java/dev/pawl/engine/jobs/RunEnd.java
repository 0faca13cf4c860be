package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PastRun;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What the store and the caller are told of a run whose body has ended. */
final class RunEnd {

  private final Engine engine;
  private final JobJournal journal;
  private final RunTerms terms;
  private final HeldLease lease;
  private final Asked asked;
  private final Admission admission;
  private final Instant tick;
  private final long startMicros;
  private final CompletableFuture<?> mayRaiseMark;

  /**
   * Makes what is needed to end a run.
   *
   * @param mayRaiseMark when the mark may be raised
   */
  RunEnd(
      Engine engine,
      JobJournal journal,
      RunTerms terms,
      HeldLease lease,
      Asked asked,
      Admission admission,
      long startMicros,
      CompletableFuture<?> mayRaiseMark) {
    this.engine = engine;
    this.journal = journal;
    this.terms = terms;
    this.lease = lease;
    this.asked = asked;
    this.admission = admission;
    this.tick = asked.time();
    this.startMicros = startMicros;
    this.mayRaiseMark = mayRaiseMark;
  }

  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> completed(
      T result, @Nullable String left) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, null);
    }
    if (left != null) {
      return leave(took, left);
    }
    CompletableFuture<Boolean> noted = note(PastRun.Ending.RAN, took, null);
    return finish(noted, took, new Job.Outcome.Ran<>(result, lease.token(), took));
  }

  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failed(
      Exception error, @Nullable String left) {
    Duration took = took();
    if (!lease.isHeld()) {
      return lost(took, error);
    }
    if (left != null) {
      return leave(took, left);
    }
    if (terms.retries() == 0) {
      return failedForGood(took, error);
    }
    return leftToAnother(took, error)
        .thenCompose(
            again ->
                again
                    ? engine
                        .releaseAsync(lease)
                        .handle(
                            (released, failure) ->
                                new Job.Outcome.Failed<>(error, lease.token(), took, true))
                    : failedForGood(took, error));
  }

  /** The mark stays where it is, and the name is free. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> leave(
      Duration took, String reason) {
    return journal
        .note(lease, asked, startMicros, took, PastRun.Ending.LEFT, reason)
        .thenCompose(noted -> engine.releaseAsync(lease))
        .handle((released, failure) -> new Job.Outcome.Left<>(reason, lease.token(), took));
  }

  /**
   * Notes that the tick is left to another node, unless it has failed as often as it may. The
   * journal is where all nodes see how often that was. If it cannot be read or written, the tick is
   * not left to another: a failure that is not counted would let it fail for ever.
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
                                        asked.tick(),
                                        noted.run().tick().toEpochMilli(),
                                        tick.toEpochMilli())
                                    && noted.run().ending() == PastRun.Ending.RETRIED)
                        .count()
                    < terms.retries())
        .exceptionally(unread -> false)
        .thenCompose(
            again ->
                again
                    ? note(PastRun.Ending.RETRIED, took, error)
                    : CompletableFuture.completedFuture(false));
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> failedForGood(
      Duration took, Exception error) {
    CompletableFuture<Boolean> noted = note(PastRun.Ending.FAILED, took, error);
    return finish(noted, took, new Job.Outcome.Failed<>(error, lease.token(), took, false));
  }

  /** The run was lost before its body began. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> lost() {
    return lost(took(), null);
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
    return new Job.Outcome.Failed<>(lost, lease.token(), took, true);
  }

  /** Has the tick done in the store; {@code outcome} holds if the store agrees. */
  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> finish(
      CompletableFuture<Boolean> noted, Duration took, Job.Outcome<T> outcome) {
    if (admission.permit().isEmpty()) {
      return raiseMark(noted, took, outcome);
    }
    // Before the name is free: whoever has it next finds no permit.
    CompletableFuture<Boolean> used =
        new JobGate(engine, asked.job()).useUp(admission.permit().get());
    return asked.again()
        ? used.handle((done, failure) -> doneAgain(took, outcome, failure))
            .thenCompose(end -> engine.releaseAsync(lease).handle((released, failure) -> end))
            .thenCombine(noted, (end, done) -> end)
        : used.handle((done, failure) -> done).thenCompose(done -> raiseMark(noted, took, outcome));
  }

  /** The mark has been reached before, and stays. */
  private <T extends @Nullable Object> Job.Outcome<T> doneAgain(
      Duration took, Job.Outcome<T> outcome, @Nullable Throwable failure) {
    return failure != null
        ? unknown(engine, lease, failure)
        : lease.isHeld() ? outcome : inDoubt(took);
  }

  private <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> raiseMark(
      CompletableFuture<Boolean> noted, Duration took, Job.Outcome<T> outcome) {
    return mayRaiseMark.thenCompose(
        looked -> {
          long keepMicros = terms.least().minus(took).toNanos() / 1_000;
          Ending<TickEnd.Result> ending =
              lease.finish(
                  tick.toEpochMilli(),
                  Due.keepMicros(asked.tick()),
                  TickEnd.of(engine, lease, keepMicros));
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
        lease.token(),
        took,
        false);
  }

  private CompletableFuture<Boolean> note(
      PastRun.Ending ending, Duration took, @Nullable Exception error) {
    String text = error == null ? null : error.toString();
    return journal.note(lease, asked, startMicros, took, ending, text);
  }

  private Duration took() {
    return Duration.ofNanos(engine.now() - lease.sinceNanos);
  }
}
