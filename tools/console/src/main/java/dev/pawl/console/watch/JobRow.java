package dev.pawl.console.watch;

import dev.pawl.JobControl;
import dev.pawl.PastRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

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

  /**
   * Returns the ticks between the first and the last run that nobody ran, where the runs are
   * regular enough to tell: most of the gaps between them are the same.
   */
  public List<Instant> missed() {
    List<Instant> ticks = new ArrayList<>(new TreeSet<>(runs.stream().map(PastRun::tick).toList()));
    if (ticks.size() < 4) {
      return List.of();
    }
    List<Duration> gaps = new ArrayList<>();
    for (int i = 1; i < ticks.size(); i++) {
      gaps.add(Duration.between(ticks.get(i - 1), ticks.get(i)));
    }
    Duration period = gaps.stream().sorted().toList().get(gaps.size() / 2);
    long regular = gaps.stream().filter(gap -> gap.equals(period)).count();
    if (period.isZero() || regular * 2 < gaps.size()) {
      return List.of();
    }
    List<Instant> missed = new ArrayList<>();
    for (int i = 1; i < ticks.size() && missed.size() < MOST_MISSED; i++) {
      for (Instant tick = ticks.get(i - 1).plus(period);
          // A day on which the clock is changed has 23 or 25 hours, and misses no tick for that.
          tick.plus(period.dividedBy(2)).isBefore(ticks.get(i)) && missed.size() < MOST_MISSED;
          tick = tick.plus(period)) {
        missed.add(tick);
      }
    }
    return missed;
  }

  private static final int MOST_MISSED = 200;
}
