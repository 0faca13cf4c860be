package dev.pawl.bench.contest;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Competitors that are no locks: one grants everything, one nothing, and one cannot be opened. */
public final class BrokenSuite implements Suite {

  @Override
  public String name() {
    return "broken";
  }

  @Override
  public Backend start() {
    return new Backend("nowhere", () -> 0, () -> {});
  }

  @Override
  public List<Entrant> entrants() {
    return List.of(
        entrant("generous", new Constant(true)),
        entrant("stingy", new Constant(false)),
        new Entrant(
            "unreachable",
            "unreachable",
            "",
            Set.of(Scenario.ONE_THREAD),
            address -> {
              throw new IllegalStateException("nobody is " + address);
            }));
  }

  private static Entrant entrant(String id, Competitor competitor) {
    return new Entrant(id, id, "", Set.of(Scenario.ONE_THREAD), address -> competitor);
  }

  @Override
  public List<String> yardsticks() {
    return List.of();
  }

  @Override
  public List<Aim> aims() {
    return List.of();
  }

  /** Answers the same to everybody. */
  private record Constant(boolean answer) implements Competitor {

    @Override
    public Hold acquire(String name) {
      return () -> {};
    }

    @Override
    public Optional<Hold> tryAcquire(String name) {
      return answer ? Optional.of(() -> {}) : Optional.empty();
    }

    @Override
    public void close() {}
  }
}
