package dev.pawl.engine;

import dev.pawl.JournalEntry;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The runs of one job in the store's journal: what happened to which tick. */
final class JobJournal {

  /** How a run ended; the words are what people read in the journal. */
  enum Ending {
    RAN("ran"),
    FAILED("failed"),
    RETRIED("failed, left to another node"),
    LOST("lost, left to another node");

    private final String words;

    Ending(String words) {
      this.words = words;
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(JobJournal.class);

  private static final String TICK = "tick";
  private static final String OUTCOME = "outcome";
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
   * the tick is done usually finds it; the future is done when the store has answered, or not.
   */
  CompletableFuture<Boolean> note(
      HeldLease lease,
      Instant tick,
      long startMicros,
      Duration took,
      Ending ending,
      @Nullable Throwable error) {
    Map<String, String> details = new HashMap<>();
    details.put(TICK, tick.toString());
    details.put(OUTCOME, ending.words);
    details.put("duration", took.toString());
    if (startMicros > 0) {
      details.put("start", Instant.EPOCH.plus(startMicros, ChronoUnit.MICROS).toString());
    }
    if (error != null) {
      String text = error.toString();
      details.put("error", text.substring(0, Math.min(MOST_ERROR_CHARS, text.length())));
    }
    return Question.ask(
            engine,
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

  /** Returns the latest runs, the newest first; none if the journal cannot be read. */
  CompletableFuture<List<JournalEntry>> runs() {
    return Question.ask(engine, true, store -> store.journal().read(name, LOOK_BACK))
        .thenApply(
            entries -> entries.stream().filter(e -> e.kind() == JournalEntry.Kind.JOB_RUN).toList())
        .exceptionally(
            error -> {
              LOG.debug("the journal of {} could not be read", name, error);
              return List.of();
            });
  }

  static boolean isOf(JournalEntry entry, Instant tick) {
    return tick.toString().equals(entry.details().get(TICK));
  }

  /** Tells whether an entry is of a run before that tick. */
  static boolean isBefore(JournalEntry entry, Instant tick) {
    String text = entry.details().get(TICK);
    return text != null && Instant.parse(text).isBefore(tick);
  }

  static boolean ends(JournalEntry entry, Ending ending) {
    return ending.words.equals(entry.details().get(OUTCOME));
  }

  /** Tells whether a run ended its tick, well or not. */
  static boolean endsItsTick(JournalEntry entry) {
    return ends(entry, Ending.RAN) || ends(entry, Ending.FAILED);
  }
}
