package dev.pawl.machine;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs scripts seed by seed, and shortens those that fail. */
final class Search {

  private final Machine machine;
  private final int length;
  private long turns;
  private long grants;
  private long summons;

  Search(Machine machine, int length) {
    this.machine = machine;
    this.length = length;
  }

  long turns() {
    return turns;
  }

  long grants() {
    return grants;
  }

  /** Returns how many waiters were bid show life. */
  long summons() {
    return summons;
  }

  /**
   * A seed that breaks a rule.
   *
   * @param events the shortened script
   */
  record Failure(long seed, Violation violation, List<Event> events, int length) {

    /** Returns what a person needs to see it again. */
    String report() {
      StringBuilder text = new StringBuilder();
      text.append("seed ").append(seed).append(" breaks ").append(violation.getMessage());
      text.append("\n").append(events.size()).append(" of ").append(length);
      text.append(" events are enough:\n");
      for (Event event : events) {
        text.append("  ").append(event).append('\n');
      }
      return text.append("again: mvn -pl core test -Dtest=LockMachinePropertyTest -Dpawl.seed=")
          .append(seed)
          .toString();
    }
  }

  /** Runs one seed. */
  Optional<Failure> seed(long seed) {
    List<Event> events = Script.of(seed, length);
    Violation first = violation(events);
    if (first == null) {
      return Optional.empty();
    }
    List<Event> fewer =
        Shrinker.shrink(
            events,
            part -> {
              Violation violation = violation(part);
              return violation != null && violation.rule() == first.rule();
            });
    return Optional.of(new Failure(seed, violation(fewer), fewer, length));
  }

  private @Nullable Violation violation(List<Event> events) {
    try {
      World world = World.run(machine, events);
      turns += world.turns();
      grants += world.grants();
      summons += world.summons();
      return null;
    } catch (Violation violation) {
      return violation;
    }
  }
}
