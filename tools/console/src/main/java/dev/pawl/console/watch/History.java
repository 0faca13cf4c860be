package dev.pawl.console.watch;

import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import java.time.Instant;
import java.util.List;

/**
 * What the store remembers: its jobs, their runs, and the rest of its journal.
 *
 * @param now what the store's clock showed
 * @param runs of all jobs, the newest first
 * @param journal without the runs, the newest first
 */
public record History(
    Instant now, List<JobRow> jobs, List<PastRun> runs, List<JournalEntry> journal) {

  /** Copies the lists. */
  public History {
    jobs = List.copyOf(jobs);
    runs = List.copyOf(runs);
    journal = List.copyOf(journal);
  }
}
