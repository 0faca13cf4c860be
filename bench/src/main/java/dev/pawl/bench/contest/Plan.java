package dev.pawl.bench.contest;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * How long everything is measured.
 *
 * @param rounds how many times everybody has a turn; a longer one comes first and does not count
 * @param slice how long a turn is; twice as long where several processes take part
 * @param handOvers how many hand-overs are timed, in all rounds together
 * @param processes how many processes there are
 * @param heldLocks how many locks are held to see what that costs
 * @param patient whether a killed holder's lock is waited for with those too who take long
 * @param scenarios what is measured
 */
public record Plan(
    int rounds,
    Duration slice,
    int handOvers,
    int processes,
    int heldLocks,
    boolean patient,
    Set<Scenario> scenarios) {

  /** A first look, in less than two minutes. */
  public static final Plan QUICK = of(4, Duration.ofMillis(80), 32, false);

  /** What is run unless told otherwise. */
  public static final Plan STANDARD = of(10, Duration.ofMillis(500), 200, true);

  /** For figures that are to be published. */
  public static final Plan FULL = of(20, Duration.ofSeconds(1), 1_000, true);

  /**
   * How much longer the first turn is: with a thousand pairs a second it takes some thousand of
   * them until the JVM has compiled what they run through.
   */
  static final int WARM_UP = 8;

  private static Plan of(int rounds, Duration slice, int handOvers, boolean patient) {
    return new Plan(rounds, slice, handOvers, 4, 10_000, patient, EnumSet.allOf(Scenario.class));
  }

  /** Returns this plan for some scenarios only. */
  public Plan only(Set<Scenario> wanted) {
    return new Plan(rounds, slice, handOvers, processes, heldLocks, patient, wanted);
  }

  Duration slice(Scenario scenario, boolean counts) {
    Duration turn = scenario == Scenario.PROCESSES ? slice.multipliedBy(2) : slice;
    return counts ? turn : turn.multipliedBy(WARM_UP);
  }
}
