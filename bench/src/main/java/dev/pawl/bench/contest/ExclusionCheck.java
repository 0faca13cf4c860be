package dev.pawl.bench.contest;

import java.util.Optional;

/** Makes sure that a competitor is a lock at all: who does nothing is fast. */
final class ExclusionCheck {

  private static final String NAME = "exclusion";

  private final WorkerProcess one;
  private final WorkerProcess other;

  ExclusionCheck(Workers workers) {
    this.one = workers.get(0);
    this.other = workers.get(1);
  }

  /** Returns what is wrong with it, if anything is. */
  Optional<String> check(Entrant entrant) {
    try {
      // Both are ready before the first takes it: a lease does not outlast a slow start.
      one.ask("open", entrant.id());
      other.ask("open", entrant.id());
      if (isTaken(one, entrant)) {
        if (isTaken(other, entrant)) {
          return Optional.of("does not exclude: two processes hold the same name");
        }
        one.ask("free");
        if (isTaken(other, entrant)) {
          other.ask("free");
          return Optional.empty();
        }
        return Optional.of("does not free: a name that was freed is refused");
      }
      return Optional.of("does not lock: a name that nobody holds is refused");
    } catch (WorkerException e) {
      return Optional.of("fails: " + e.getMessage());
    }
  }

  private static boolean isTaken(WorkerProcess process, Entrant entrant) {
    return process.ask("try", entrant.id(), NAME)[0].equals("taken");
  }
}
