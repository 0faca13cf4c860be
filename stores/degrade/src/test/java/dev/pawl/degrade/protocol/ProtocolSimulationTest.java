package dev.pawl.degrade.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many seeded worlds of two to four nodes with the real {@link Warden}, on clocks that drift:
 * exclusion, rising tokens, and nobody stuck when the faults end.
 *
 * <p>{@code -Dpawl.seeds=1000000} runs more, {@code -Dpawl.seed=42} runs one.
 */
@Tag("safety")
class ProtocolSimulationTest {

  private static final long SEEDS = Long.getLong("pawl.seeds", 500);

  @Test
  void twoNeverWorkAtOnceTokensRiseAndNobodyIsStuck() {
    long only = Long.getLong("pawl.seed", -1);
    LongStream seeds = only >= 0 ? LongStream.of(only) : LongStream.range(0, SEEDS);
    LongAdder switches = new LongAdder();
    LongAdder grants = new LongAdder();
    Optional<String> found =
        seeds
            .parallel()
            .mapToObj(
                seed -> {
                  ProtocolSimulation run = new ProtocolSimulation(seed, 1);
                  switches.add(run.switches);
                  grants.add(run.grants);
                  return run.violation()
                      .map(what -> "seed " + seed + " (alone: -Dpawl.seed=" + seed + ") " + what);
                })
            .flatMap(Optional::stream)
            .findAny();
    assertThat(found).isEmpty();
    System.out.printf("mode simulation: %,d switches, %,d grants%n", switches.sum(), grants.sum());
    assertThat(switches.sum()).isGreaterThan(SEEDS / 2);
  }

  @Test
  void aNodeWhoseClockIsMuchTooSlowIsNoticed() {
    assertThat(
            LongStream.range(0, 500)
                .mapToObj(seed -> new ProtocolSimulation(seed, 0.7).violation())
                .flatMap(Optional::stream)
                .filter(what -> what.contains("two work"))
                .findFirst())
        .isPresent();
  }
}
