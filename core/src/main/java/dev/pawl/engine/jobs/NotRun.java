package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.spi.Contention;
import dev.pawl.spi.LockStore;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a call for a tick is told that does not run it here. */
final class NotRun {

  private static final Logger LOG = LoggerFactory.getLogger(NotRun.class);

  /** A tick that is further ahead of the store's clock is worth a warning. */
  private static final Duration AHEAD = Duration.ofMinutes(1);

  private final Engine engine;
  private final JobJournal journal;
  private final MissedTicks missed;
  private final String name;

  NotRun(Engine engine, JobJournal journal, MissedTicks missed, String name) {
    this.engine = engine;
    this.journal = journal;
    this.missed = missed;
    this.name = name;
  }

  NotRun with(MissedTicks other) {
    return new NotRun(engine, journal, other, name);
  }

  /** Returns the answer for a tick that was done before. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> done(Asked asked) {
    long mark = asked.mark();
    Due due = asked.due();
    Job.Tick tick = asked.tick();
    return howFarAhead(mark, due, tick)
        .exceptionally(unread -> Duration.ZERO)
        .thenCombine(
            journal.runs().exceptionally(unread -> List.of()),
            (ahead, runs) -> {
              if (!ahead.isZero()) {
                warn(mark, ahead);
              }
              return alreadyDone(runs, due, tick, mark);
            });
  }

  /** Returns how far a mark is ahead of the store's clock, where that keeps ticks from running. */
  private CompletableFuture<Duration> howFarAhead(long mark, Due due, Job.Tick tick) {
    if (tick instanceof Job.Tick.Every every) {
      Duration ahead = Duration.ofMillis(due.aheadMillis());
      return CompletableFuture.completedFuture(
          ahead.compareTo(every.period()) > 0 ? ahead : Duration.ZERO);
    }
    if (mark <= due.tick()) {
      return CompletableFuture.completedFuture(Duration.ZERO);
    }
    return Question.ask(engine.link(), false, LockStore::nowMicros)
        .thenApply(
            micros -> {
              Duration ahead = Duration.ofMillis(mark - micros / 1_000);
              return ahead.compareTo(AHEAD) > 0 ? ahead : Duration.ZERO;
            });
  }

  private void warn(long mark, Duration ahead) {
    // A node whose clock is ahead raises the mark with every tick: not a warning for each.
    if (engine.ticksAhead().isDue(name, engine.now())) {
      LOG.warn(
          "job {} is not run: its ticks until {} count as done, {} ahead of the store's clock. Is"
              + " the clock of a host wrong? If it is a mistake, set it back: pawl jobs reset {}",
          Names.quote(name),
          Instant.ofEpochMilli(mark),
          DurationText.format(Duration.ofSeconds(ahead.toSeconds())),
          name);
    }
  }

  private <T extends @Nullable Object> Job.Outcome<T> alreadyDone(
      List<JobJournal.Noted> runs, Due due, Job.Tick tick, long mark) {
    Instant time = Instant.ofEpochMilli(due.tick());
    if (tick instanceof Job.Tick.At && mark > due.tick()) {
      missed.onPassedOver(time, runs);
    }
    Optional<JobJournal.Noted> run =
        runs.stream()
            .filter(noted -> noted.isOf(time) && noted.run().ending().endsItsTick())
            .findFirst();
    return new Job.Outcome.AlreadyDone<>(
        Instant.ofEpochMilli(mark),
        run.map(noted -> noted.run().node()),
        run.map(JobJournal.Noted::at),
        run.map(noted -> noted.run().ending()));
  }

  /** Gives the name back, and returns the answer for a call that operators keep from running. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> turnedAway(
      HeldLease lease, Admission admission, Asked asked) {
    return engine
        .releaseAsync(lease)
        .handle((released, failure) -> 0)
        .thenCompose(
            free ->
                admission
                    .pause()
                    .map(NotRun::<T>paused)
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> done(asked))); // Another has used the permit up.
  }

  private static <T extends @Nullable Object> Job.Outcome<T> paused(JobControl.Pause pause) {
    return new Job.Outcome.Paused<>(pause.by(), pause.reason(), pause.since());
  }

  /** Gives the name back, and returns the refusal of a tick that is a mistake. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> tooFarAhead(
      HeldLease lease, Instant tick) {
    return engine
        .releaseAsync(lease)
        .handle((released, failure) -> 0)
        .thenCompose(
            free ->
                CompletableFuture.failedFuture(
                    new IllegalArgumentException(
                        "job "
                            + Names.quote(name)
                            + ": tick "
                            + tick
                            + " is more than a day ahead of the store's clock; all until then"
                            + " would count as done. Is it a typo, or is the clock of this host wrong?")));
  }

  /** Returns the answer for a tick that somebody else runs. */
  <T extends @Nullable Object> CompletableFuture<Job.Outcome<T>> refused(
      CallResult.Refused refused, Asked asked) {
    if (!asked.again()) {
      missed.onRefused(asked.due().tick());
    }
    return CompletableFuture.completedFuture(runningElsewhere(refused.contention()));
  }

  private static <T extends @Nullable Object> Job.Outcome<T> runningElsewhere(
      @Nullable Contention contention) {
    return contention == null || contention.holders() == 0
        ? new Job.Outcome.RunningElsewhere<>(Optional.empty(), Optional.empty())
        : new Job.Outcome.RunningElsewhere<>(
            Optional.of(contention.holder()),
            Optional.of(Instant.EPOCH.plus(contention.sinceMicros(), ChronoUnit.MICROS)));
  }
}
