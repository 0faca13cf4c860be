package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Many seeded worlds in which the clocks of four nodes differ by up to six minutes: each tick of a
 * job runs once, by the store's clock as well as by the nodes' own.
 *
 * <p>{@code -Dpawl.jobSeeds=100000} runs more, {@code -Dpawl.jobSeed=42} runs one.
 */
class JobSimulationTest {

  private static final long SEEDS = Long.getLong("pawl.jobSeeds", 1_000);

  @Test
  void nodesWhoseClocksDifferByMinutesRunEachTickOnce() {
    for (long seed = 0; seed < 100; seed++) {
      JobSimulation simulation =
          new JobSimulation(seed, JobSimulation.Setup.CALM, JobSimulation.Servers.SOUND);

      assertThat(simulation.violation()).as("seed " + seed).isEmpty();
      for (String job : List.of("every", "cron")) {
        NavigableMap<Instant, Integer> ticks = simulation.begun.get(job);
        assertThat(ticks.values())
            .as("runs of each tick of %s, seed %d", job, seed)
            .containsOnly(1);
        assertThat(ticks).as("ticks of %s, seed %d", job, seed).hasSizeGreaterThanOrEqualTo(12);
      }
      assertNoGapInTheLast(10, simulation.begun.get("cron"));
      assertNoPeriodIsLeftOut(simulation.begun.get("every"));
      assertThat(simulation.outcomes.get("cron AlreadyDone"))
          .as("late nodes that found it done, seed " + seed)
          .isGreaterThan(20);
    }
  }

  /** Nobody comes for the ticks before the one that the earliest clock began with. */
  private static void assertNoGapInTheLast(int count, NavigableMap<Instant, Integer> ticks) {
    for (int i = 0; i < count; i++) {
      assertThat(ticks).containsKey(ticks.lastKey().minus(JobSimulation.PERIOD.multipliedBy(i)));
    }
  }

  /** The clocks of these nodes run fast and slow, and the ticks follow them a little. */
  private static void assertNoPeriodIsLeftOut(NavigableMap<Instant, Integer> ticks) {
    for (Instant tick : ticks.tailMap(ticks.firstKey(), false).keySet()) {
      assertThat(Duration.between(ticks.lowerKey(tick), tick).toMillis())
          .isBetween(
              JobSimulation.PERIOD.toMillis() * 9 / 10, JobSimulation.PERIOD.toMillis() * 12 / 10);
    }
  }

  @Test
  void eachTickRunsOnceInEveryWorldAmongFaults() {
    long only = Long.getLong("pawl.jobSeed", -1);
    LongStream seeds = only >= 0 ? LongStream.of(only) : LongStream.range(0, SEEDS).parallel();
    Map<String, Integer> outcomes = new ConcurrentSkipListMap<>();
    Optional<String> violation =
        seeds
            .mapToObj(
                seed -> {
                  JobSimulation simulation =
                      new JobSimulation(
                          seed, JobSimulation.Setup.ROUGH, JobSimulation.Servers.SOUND);
                  Optional<String> found = simulation.violation();
                  simulation.outcomes.forEach((what, n) -> outcomes.merge(what, n, Integer::sum));
                  return found.map(
                      what -> "seed " + seed + " (alone: -Dpawl.jobSeed=" + seed + "): " + what);
                })
            .flatMap(Optional::stream)
            .findAny();
    assertThat(violation).isEmpty();
    System.out.println("simulation of jobs: " + outcomes);
    assertThat(outcomes)
        .as("faults that do no harm show nothing")
        .containsKeys("cron Ran", "cron Failed", "cron AlreadyDone", "every Ran", "every Failed");
  }

  @Test
  void operatorsAreObeyedInEveryWorldAmongFaults() {
    Map<String, Integer> outcomes = new ConcurrentSkipListMap<>();
    Optional<String> violation =
        LongStream.range(0, SEEDS / 4)
            .parallel()
            .mapToObj(
                seed -> {
                  JobSimulation simulation =
                      new JobSimulation(
                          seed, JobSimulation.Setup.OPERATED, JobSimulation.Servers.SOUND);
                  Optional<String> found = simulation.violation();
                  simulation.outcomes.forEach((what, n) -> outcomes.merge(what, n, Integer::sum));
                  return found.map(what -> "seed " + seed + ": " + what);
                })
            .flatMap(Optional::stream)
            .findAny();
    assertThat(violation).isEmpty();
    System.out.println("simulation of jobs with an operator: " + outcomes);
    assertThat(outcomes)
        .as("an operator who does nothing shows nothing")
        .containsKeys("cron Paused", "every Paused", "ran again", "cron Ran", "every Ran");
  }

  @Test
  void aStoreThatForgetsMarksIsNoticed() {
    assertThat(violationOf((state, command) -> withMark(state, OptionalLong.empty())))
        .contains("told had run");
  }

  @Test
  void aStoreWhoseMarksGoBackIsNoticed() {
    assertThat(
            violationOf(
                (state, command) ->
                    command instanceof Command.Acquire && state.mark().isPresent()
                        ? withMark(state, OptionalLong.of(state.mark().getAsLong() - 10_000))
                        : state))
        .contains("told had run");
  }

  private static String violationOf(JobSimulation.Spoiler spoiler) {
    return LongStream.range(0, 100)
        .mapToObj(
            seed ->
                new JobSimulation(
                        seed,
                        JobSimulation.Setup.ROUGH,
                        world -> JobSimulation.spoilt(world, spoiler))
                    .violation())
        .flatMap(Optional::stream)
        .findFirst()
        .orElse("nothing was noticed");
  }

  private static LockState withMark(LockState state, OptionalLong mark) {
    return new LockState(
        state.lastToken(),
        mark,
        state.markUntilMicros(),
        state.holders(),
        state.queue(),
        state.ended());
  }
}
