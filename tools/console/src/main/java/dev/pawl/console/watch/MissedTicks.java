package dev.pawl.console.watch;

import dev.pawl.PastRun;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The ticks of a job that nobody completed, as far as its runs tell. A period says when the next
 * tick is due; of a schedule the store sees only the times that somebody came with, and a gap
 * between two of them may be a weekend. So these are missed, as for {@code Job.onMissed}:
 *
 * <ul>
 *   <li>of a period, the ticks that lie between two that are done;
 *   <li>of a schedule, a tick that was begun and not completed, when a later one is done.
 * </ul>
 */
final class MissedTicks {

  /** More than anybody counts on a time line; the latest are kept. */
  static final int MOST = 200;

  private MissedTicks() {}

  /** Returns them, the earliest first. */
  static List<Instant> of(List<PastRun> runs) {
    NavigableMap<Instant, Optional<Duration>> done = new TreeMap<>();
    for (PastRun run : runs) {
      if (run.ending().endsItsTick()) {
        // A tick that was run again, on purpose, came without its period.
        done.merge(run.tick(), run.period(), (one, other) -> one.isPresent() ? one : other);
      }
    }
    SortedSet<Instant> missed = new TreeSet<>(passedOver(done));
    for (PastRun run : runs) {
      if (run.period().isEmpty()
          && !done.containsKey(run.tick())
          && done.higherKey(run.tick()) != null) {
        missed.add(run.tick());
      }
    }
    return missed.stream().skip(Math.max(0, missed.size() - MOST)).toList();
  }

  /** Returns the ticks of a period between those that are done; of many, the latest. */
  private static Deque<Instant> passedOver(NavigableMap<Instant, Optional<Duration>> done) {
    Deque<Instant> passed = new ArrayDeque<>();
    Map.Entry<Instant, Optional<Duration>> later = done.lastEntry();
    while (later != null && passed.size() < MOST) {
      Map.Entry<Instant, Optional<Duration>> earlier = done.lowerEntry(later.getKey());
      if (earlier != null && earlier.getValue().isPresent() && later.getValue().isPresent()) {
        // Where the period was changed, the longer one: the gap may have been part of it.
        Duration one = earlier.getValue().get();
        Duration other = later.getValue().get();
        Duration period = one.compareTo(other) > 0 ? one : other;
        Duration gap = Duration.between(earlier.getKey(), later.getKey());
        // A call counts for a tick from a third of a period before it.
        long ticks = gap.plus(period.dividedBy(3)).dividedBy(period) - 1;
        for (long i = ticks; i > 0 && passed.size() < MOST; i--) {
          passed.addFirst(earlier.getKey().plus(period.multipliedBy(i)));
        }
      }
      later = earlier;
    }
    return passed;
  }
}
