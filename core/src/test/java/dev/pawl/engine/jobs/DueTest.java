package dev.pawl.engine.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.engine.time.Scheduler;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ticks of a period, in worlds by the thousand: schedulers that fire once a period on each node, at
 * whatever phase, a tenth of the period early or late. Runs take no time here.
 */
class DueTest {

  private static final long START = 1_700_000_000_000L;
  private static final int PERIODS = 300;
  private static final int SEEDS = Integer.getInteger("pawl.dueSeeds", 2_000);

  /** What came of a world. */
  private static final class Runs {
    private final Job.Tick.Every every;
    private final List<Long> times = new ArrayList<>();
    private OptionalLong mark = OptionalLong.empty();

    Runs(long periodMillis) {
      this.every = new Job.Tick.Every(Duration.ofMillis(periodMillis));
    }

    void call(long now) {
      Due due = Due.of(every, mark, now);
      if (due.isDue()) {
        assertThat(due.claimed()).isLessThanOrEqualTo(due.tick());
        assertThat(due.tick()).isGreaterThan(mark.orElse(-1));
        mark = OptionalLong.of(due.tick());
        times.add(now);
      }
    }
  }

  /** One who fires. */
  private record Scheduler(long phase, double rate) {

    long at(int period, long periodMillis, double jitter, Random random) {
      return START
          + phase
          + (long) (period * periodMillis * rate)
          + Math.round((2 * random.nextDouble() - 1) * jitter * periodMillis);
    }
  }

  private static Runs world(
      long period, List<Scheduler> nodes, double jitter, int periods, Random random) {
    List<Long> calls = new ArrayList<>();
    for (Scheduler node : nodes) {
      for (int p = 0; p < periods; p++) {
        calls.add(node.at(p, period, jitter, random));
      }
    }
    calls.sort(null);
    Runs runs = new Runs(period);
    calls.forEach(runs::call);
    return runs;
  }

  @ParameterizedTest
  @ValueSource(longs = {100, 999, 1_000, 60_000, 86_400_000L, 366 * 86_400_000L})
  void nodesAtWhateverPhaseRunOnceInEveryPeriod(long period) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      double jitter = 0.1 * random.nextDouble();
      List<Scheduler> nodes = new ArrayList<>();
      for (int n = 1 + random.nextInt(8); n > 0; n--) {
        // Some at the whole period, where clocks are cut; some anywhere.
        nodes.add(
            new Scheduler(random.nextInt(3) == 0 ? 0 : (long) (random.nextDouble() * period), 1));
      }

      Runs runs = world(period, nodes, jitter, PERIODS, random);

      String world = "seed " + seed + ", " + nodes + ", jitter " + jitter;
      // Two at the ends, where some of the nodes fire and others do not.
      assertThat(runs.times.size()).as(world).isBetween(PERIODS - 1, PERIODS + 1);
      assertGaps(runs.times, period * 46 / 100, period * 154 / 100, world);
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.01, 0.1})
  void aNodeAloneIsNeverRefused(double jitter) {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      Scheduler alone = new Scheduler((long) (random.nextDouble() * 60_000), 1);

      Runs runs = world(60_000, List.of(alone), jitter, PERIODS, random);

      assertThat(runs.times).as("seed " + seed).hasSize(PERIODS);
    }
  }

  @Test
  void callsAtTheWholePeriodHaveWholeTicks() {
    Random random = new Random(1);
    Runs runs = new Runs(60_000);
    Scheduler cron = new Scheduler(60_000 - START % 60_000, 1);
    for (int p = 0; p < PERIODS; p++) {
      runs.call(cron.at(p, 60_000, 0.1, random));
      assertThat(runs.mark.getAsLong() % 60_000).isZero();
    }
    assertThat(runs.times).hasSize(PERIODS);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.9999, 0.99995, 1.00005, 1.0001})
  void aSchedulerWhoseClockIsFastOrSlowIsNeverRefused(double rate) {
    for (int seed = 0; seed < 20; seed++) {
      Random random = new Random(seed);
      Scheduler drifting = new Scheduler((long) (random.nextDouble() * 60_000), rate);

      Runs runs = world(60_000, List.of(drifting), 0.05, 20_000, random);

      assertThat(runs.times).as("seed " + seed).hasSize(20_000);
    }
  }

  @Test
  void anotherNodeGoesOnWhenTheOneThatRanItDies() {
    for (int seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      long period = 60_000;
      List<Long> calls = new ArrayList<>();
      List<Scheduler> nodes =
          List.of(
              new Scheduler((long) (random.nextDouble() * period), 1),
              new Scheduler((long) (random.nextDouble() * period), 1));
      for (int p = 0; p < 40; p++) {
        calls.add(nodes.get(0).at(p, period, 0.1, random));
        calls.add(nodes.get(1).at(p, period, 0.1, random));
      }
      calls.sort(null);
      for (int p = 40; p < 80; p++) {
        calls.add(nodes.get(1).at(p, period, 0.1, random));
      }
      Runs runs = new Runs(period);
      calls.forEach(runs::call);

      // A death costs one period at the most: whoever is left fires once in each.
      assertThat(runs.times.size()).as("seed " + seed).isBetween(78, 82);
      assertGaps(runs.times, period * 46 / 100, period * 21 / 10, "seed " + seed);
    }
  }

  @Test
  void oneWhoCallsAllTheTimeRunsOncePerPeriod() {
    Runs runs = new Runs(60_000);
    for (long now = START; now < START + 1_000 * 60_000; now += 250) {
      runs.call(now);
    }
    assertThat(runs.times.size()).isBetween(1_000, 1_001);
    assertGaps(runs.times.subList(1, runs.times.size()), 59_700, 60_300, "all the time");
  }

  @Test
  void aLateCallIsNotPaidForByTheNext() {
    Runs runs = new Runs(60_000);
    runs.call(START);
    runs.call(START + 60_000);
    runs.call(START + 131_000);
    runs.call(START + 180_000);
    assertThat(runs.times).hasSize(4);
  }

  @Test
  void aMarkAheadOfTheClockIsNotDueAndSaysByHowMuch() {
    Job.Tick.Every every = new Job.Tick.Every(Duration.ofMinutes(1));
    Due due = Due.of(every, OptionalLong.of(START + 3_600_000), START);
    assertThat(due.isDue()).isFalse();
    assertThat(due.aheadMillis()).isEqualTo(3_600_000);
  }

  @Test
  void aMarkIsKeptForTwoPeriodsAndAWeekAtLeast() {
    assertThat(Due.keepMicros(Job.every(Duration.ofSeconds(1)))).isEqualTo(Command.MIN_KEEP_MICROS);
    assertThat(Due.keepMicros(Job.every(Duration.ofDays(366))))
        .isEqualTo(Duration.ofDays(732).toMillis() * 1_000);
  }

  private static void assertGaps(List<Long> times, long least, long most, String world) {
    for (int i = 1; i < times.size(); i++) {
      assertThat(times.get(i) - times.get(i - 1)).as("%s, run %d", world, i).isBetween(least, most);
    }
  }
}
