package dev.pawl.engine.jobs;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import dev.pawl.engine.link.Names;
import dev.pawl.engine.link.Question;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs of one job in the store's journal: what happened to which tick. */
public final class JobJournal {

  private static final Logger LOG = LoggerFactory.getLogger(JobJournal.class);

  private static final String TICK = "tick";
  private static final String EVERY = "every";
  private static final String START = "start";
  private static final String DURATION = "duration";
  private static final String OUTCOME = "outcome";
  private static final String ERROR = "error";
  private static final int MOST_ERROR_CHARS = 500;

  /** How far back a tick is looked for. */
  private static final int LOOK_BACK = 100;

  private final Engine engine;
  private final String name;

  JobJournal(Engine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  /**
   * Notes a run. The call has been made when this returns, so that whoever is told afterwards that
   * the tick is done usually finds it; the future tells, when the store has answered or not,
   * whether it is certainly noted.
   */
  CompletableFuture<Boolean> note(
      HeldLease lease,
      Asked asked,
      long startMicros,
      Duration took,
      PastRun.Ending ending,
      @Nullable String error) {
    Instant tick = asked.time();
    Map<String, String> details = new HashMap<>();
    details.put(TICK, tick.toString());
    if (asked.tick() instanceof Job.Tick.Every every) {
      details.put(EVERY, every.period().toString());
    }
    details.put(OUTCOME, ending.toString());
    details.put(DURATION, took.toString());
    if (startMicros > 0) {
      details.put(START, Instant.EPOCH.plus(startMicros, ChronoUnit.MICROS).toString());
    }
    if (error != null) {
      details.put(ERROR, error.substring(0, Math.min(MOST_ERROR_CHARS, error.length())));
    }
    return Question.askOnce(
            engine.link(),
            true,
            store ->
                store
                    .journal()
                    .append(JournalEntry.Kind.JOB_RUN, name, lease.token(), engine.label(), details)
                    .thenApply(done -> true))
        .exceptionally(
            failure -> {
              LOG.warn("the run of {} for tick {} could not be journalled", lease, tick, failure);
              return false;
            });
  }

  /** Returns the latest runs, the newest first; fails if the journal cannot be read. */
  CompletableFuture<List<Noted>> runs() {
    return Question.ask(engine.link(), true, store -> store.journal().read(name, LOOK_BACK))
        .thenApply(entries -> entries.stream().flatMap(entry -> noted(entry).stream()).toList());
  }

  /** Returns the runs among entries of the journal, in their order. */
  public static List<PastRun> runsOf(List<JournalEntry> entries) {
    return entries.stream().flatMap(entry -> noted(entry).stream()).map(Noted::run).toList();
  }

  /**
   * A run in the journal.
   *
   * @param at when it was noted, by the store's clock
   */
  record Noted(PastRun run, Instant at) {

    boolean isOf(Instant tick) {
      return run.tick().equals(tick);
    }
  }

  /** Reads an entry; empty if it is of something else, or of a later version of the project. */
  private static Optional<Noted> noted(JournalEntry entry) {
    Map<String, String> details = entry.details();
    if (entry.kind() != JournalEntry.Kind.JOB_RUN || !entry.name().startsWith(Job.PREFIX)) {
      return Optional.empty();
    }
    try {
      Duration took = Duration.parse(details.getOrDefault(DURATION, ""));
      String start = details.get(START);
      PastRun run =
          new PastRun(
              entry.name().substring(Job.PREFIX.length()),
              Instant.parse(details.getOrDefault(TICK, "")),
              entry.token(),
              entry.node(),
              start == null ? entry.at().minus(took) : Instant.parse(start),
              took,
              ending(details.getOrDefault(OUTCOME, "")),
              Optional.ofNullable(details.get(ERROR)),
              Optional.ofNullable(details.get(EVERY)).map(Duration::parse));
      return Optional.of(new Noted(run, entry.at()));
    } catch (DateTimeParseException | IllegalArgumentException e) {
      LOG.debug("not a run of a job: {}", entry, e);
      return Optional.empty();
    }
  }

  private static PastRun.Ending ending(String words) {
    for (PastRun.Ending ending : PastRun.Ending.values()) {
      if (ending.toString().equals(words)) {
        return ending;
      }
    }
    throw new IllegalArgumentException("outcome is " + Names.quote(words));
  }
}
