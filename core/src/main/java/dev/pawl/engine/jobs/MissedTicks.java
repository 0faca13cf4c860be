package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.Engine;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The ticks of a job that nobody completed in their time, as far as this node can know, and who is
 * told of them.
 *
 * <p>What is done is the store's mark. Ticks of a period follow from it. Those of a schedule do
 * not: they are known if this node was refused one, or if the journal has a run of one.
 */
final class MissedTicks {

  /** How many ticks that were refused are remembered. */
  private static final int MOST_REFUSED = 100;

  private final Engine engine;
  private final JobJournal journal;
  private final String job;
  private final @Nullable Consumer<? super Job.Missed> listener;
  private final ConcurrentSkipListSet<Long> refused;

  MissedTicks(Engine engine, JobJournal journal, String job) {
    this(engine, journal, job, null, new ConcurrentSkipListSet<>());
  }

  private MissedTicks(
      Engine engine,
      JobJournal journal,
      String job,
      @Nullable Consumer<? super Job.Missed> listener,
      ConcurrentSkipListSet<Long> refused) {
    this.engine = engine;
    this.journal = journal;
    this.job = job;
    this.listener = listener;
    this.refused = refused;
  }

  MissedTicks toldTo(Consumer<? super Job.Missed> whom) {
    return new MissedTicks(engine, journal, job, whom, refused);
  }

  /** Remembers a tick that somebody else's run kept this node from. */
  void onRefused(long mark) {
    if (listener != null) {
      refused.add(mark);
      while (refused.size() > MOST_REFUSED) {
        refused.pollFirst();
      }
    }
  }

  /**
   * Looks for ticks that were left out since the last one done, in the name of a run that has
   * begun. The future is done, and never fails, when the mark has been read and may be raised.
   */
  CompletableFuture<Boolean> lookBefore(Due due, Job.Tick tick) {
    long mark = due.tick();
    if (tick instanceof Job.Tick.Every every && due.done().isPresent()) {
      return CompletableFuture.completedFuture(reportPeriods(due.done(), mark, every));
    }
    if (listener == null) { // To look costs a round trip or two.
      return CompletableFuture.completedFuture(false);
    }
    return Question.ask(engine.link(), true, store -> store.find(Job.PREFIX + job))
        .thenCompose(
            found -> {
              OptionalLong done = found.map(LockInfo::mark).orElse(OptionalLong.empty());
              return journal.runs().thenApply(runs -> reportBefore(done, mark, tick, runs));
            })
        .exceptionally(unanswered -> false); // The run matters more than what was before it.
  }

  private boolean reportBefore(
      OptionalLong done, long mark, Job.Tick tick, List<JobJournal.Noted> runs) {
    OptionalLong last = done.isPresent() ? done : lastDone(runs, mark);
    if (tick instanceof Job.Tick.Every every) {
      return reportPeriods(last, mark, every);
    }
    TreeSet<Long> known = new TreeSet<>(refused.headSet(mark));
    refused.headSet(mark, true).clear();
    runs.forEach(noted -> known.add(noted.run().tick().toEpochMilli()));
    known.removeIf(each -> each <= last.orElse(Long.MIN_VALUE) || each >= mark);
    if (!known.isEmpty()) {
      report(known.first(), known.last(), known.size());
    }
    return !known.isEmpty();
  }

  /** What the journal knows to have been done before, for a store that has forgotten the mark. */
  private static OptionalLong lastDone(List<JobJournal.Noted> runs, long mark) {
    return runs.stream()
        .filter(noted -> noted.run().ending().endsItsTick())
        .mapToLong(noted -> noted.run().tick().toEpochMilli())
        .filter(tick -> tick < mark)
        .max();
  }

  private boolean reportPeriods(OptionalLong done, long mark, Job.Tick.Every every) {
    long ticks = done.isEmpty() ? 0 : Due.between(done.getAsLong(), mark, every.period());
    if (ticks > 0) {
      long period = every.period().toMillis();
      long first = done.getAsLong() + period;
      report(first, Math.max(first, mark - period), ticks);
    }
    return ticks > 0;
  }

  /** Reports a tick of a schedule if it was passed over, to go by the runs in the journal. */
  void onPassedOver(Instant tick, List<JobJournal.Noted> runs) {
    boolean completed =
        runs.stream().anyMatch(noted -> noted.isOf(tick) && noted.run().ending().endsItsTick());
    // Only a journal that reaches back beyond the tick knows that nobody did it.
    if (!completed && runs.stream().anyMatch(noted -> noted.run().tick().isBefore(tick))) {
      report(tick.toEpochMilli(), tick.toEpochMilli(), 1);
    }
  }

  private void report(long first, long last, long ticks) {
    Job.Missed missed =
        new Job.Missed(job, Instant.ofEpochMilli(first), Instant.ofEpochMilli(last), ticks);
    engine.events().monitors().missed(missed);
    if (listener != null) {
      engine.events().run(() -> listener.accept(missed));
    }
  }
}
