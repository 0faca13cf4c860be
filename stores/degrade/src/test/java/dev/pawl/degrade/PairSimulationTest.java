package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The pair under the real engine: {@code -Dpawl.seeds=1000000} for more of it, {@code
 * -Dpawl.seed=42} for one again.
 */
class PairSimulationTest {

  private static final long SEEDS = Long.getLong("pawl.seeds", 1_000);

  @Test
  @Tag("safety")
  void whateverFailsNobodyOverlapsTokensRiseAndNobodyIsStuck() {
    Long only = Long.getLong("pawl.seed");
    long from = only == null ? 1 : only;
    long to = only == null ? SEEDS : only;
    long grants = 0;
    long switches = 0;
    long returns = 0;
    for (long seed = from; seed <= to; seed++) {
      PairSimulation simulation = new PairSimulation(seed);
      Optional<String> violation = simulation.run();
      if (violation.isPresent()) {
        fail("seed %s: %s", seed, violation.get());
      }
      grants += simulation.grants;
      switches += simulation.switches;
      returns += simulation.returns;
    }
    System.out.println(
        (to - from + 1)
            + " worlds, "
            + grants
            + " grants, "
            + switches
            + " switches, "
            + returns
            + " returns");
    assertThat(switches).as("otherwise nothing was tried").isPositive();
    assertThat(returns).as("otherwise nothing was tried").isPositive();
    assertThat(grants).isPositive();
  }
}
