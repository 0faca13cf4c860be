package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The pair under the real engine: {@code -Dpawl.seeds=1000000} for more of it, {@code
 * -Dpawl.seed=42} for one again.
 */
class PairSimulationTest {

  private static final long SEEDS = Long.getLong("pawl.seeds", 10_000);

  /** Within so many worlds each broken pair is noticed. */
  private static final int ENOUGH_SEEDS = 200;

  @Test
  @Tag("safety")
  void whateverFailsNobodyOverlapsTokensRiseNoTickRunsTwiceAndNobodyIsStuck() {
    Long only = Long.getLong("pawl.seed");
    long from = only == null ? Long.getLong("pawl.seeds.from", 1) : only;
    long to = only == null ? from + SEEDS - 1 : only;
    long grants = 0;
    long ran = 0;
    long switches = 0;
    long returns = 0;
    for (long seed = from; seed <= to; seed++) {
      PairSimulation simulation = new PairSimulation(seed);
      Optional<String> violation = simulation.run();
      if (violation.isPresent()) {
        fail("seed %s: %s", seed, violation.get());
      }
      grants += simulation.holdings.grants;
      ran += simulation.holdings.ran;
      switches += simulation.switches;
      returns += simulation.returns;
    }
    System.out.println(
        (to - from + 1)
            + " worlds, "
            + grants
            + " grants, "
            + ran
            + " ticks, "
            + switches
            + " switches, "
            + returns
            + " returns");
    assertThat(switches).as("otherwise nothing was tried").isPositive();
    assertThat(returns).as("otherwise nothing was tried").isPositive();
    assertThat(ran).as("otherwise nothing was tried").isPositive();
    assertThat(grants).isPositive();
  }

  @ParameterizedTest
  @EnumSource(names = "NOTHING", mode = EnumSource.Mode.EXCLUDE)
  @Tag("safety")
  void aBrokenPairIsNoticed(Broken broken) {
    for (long seed = 1; seed <= ENOUGH_SEEDS; seed++) {
      Optional<String> violation = new PairSimulation(seed, broken).run();
      if (violation.isPresent()) {
        System.out.println(broken + ", seed " + seed + ": " + violation.get());
        return;
      }
    }
    fail("%s was not noticed in %s worlds", broken, ENOUGH_SEEDS);
  }

  @Test
  void workGoesOnWithinThreeSecondsAfterThePrimaryIsFoundDead() {
    Duration longest = Duration.ZERO;
    for (long seed = 1; seed <= 100; seed++) {
      PairSimulation world = PairSimulation.ofADeadPrimary(seed);
      assertThat(world.run()).as("seed " + seed).isEmpty();
      Duration granted = world.untilGranted();
      assertThat(granted).as("seed " + seed).isBetween(Duration.ZERO, Duration.ofSeconds(3));
      assertThat(world.untilSwitched())
          .as("seed " + seed)
          .isBetween(Duration.ZERO, Duration.ofSeconds(3));
      longest = granted.compareTo(longest) > 0 ? granted : longest;
    }
    System.out.println("work goes on after " + longest.toMillis() + " ms at the latest");
  }
}
