package dev.pawl.console.watch;

import dev.pawl.JobControl;
import dev.pawl.PastRun;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A job: what runs now, who stands by, and how its latest runs went.
 *
 * @param lock who runs it and who stands by
 * @param tick the latest tick that is done
 * @param runs its latest runs that have ended, the newest first
 * @param control what operators have decided about it
 */
public record JobRow(
    String job, LockRow lock, Optional<Instant> tick, List<PastRun> runs, JobControl control) {

  /** Copies the runs. */
  public JobRow {
    runs = List.copyOf(runs);
  }

  /** Tells whether another node ended a tick that this run had left. */
  public boolean isTakeOver(PastRun run) {
    return runs.stream()
        .anyMatch(
            other ->
                other.tick().equals(run.tick())
                    && other.token() < run.token()
                    && !other.ending().endsItsTick()
                    && !other.node().equals(run.node()));
  }

  /** Returns the ticks that nobody ran, as far as that is known. */
  public List<Instant> missed() {
    return MissedTicks.of(runs);
  }
}
