package dev.pawl.degrade.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Long ways through the world of {@link ProtocolExhaustiveTest}, chosen by chance: three nodes, two
 * names, many changes of mode one after the other, further than a search can go.
 *
 * <p>{@code -Dpawl.seeds=1000000} walks more, {@code -Dpawl.seed=42} walks one.
 */
@Tag("safety")
class ProtocolWalkTest {

  private static final long SEEDS = Long.getLong("pawl.seeds", 2_000);
  private static final int STEPS = 150;

  private final LongAdder steps = new LongAdder();
  private final LongAdder changes = new LongAdder();

  @Test
  void noWayBreaksARuleOrLeavesAnybodyStuck() {
    long only = Long.getLong("pawl.seed", -1);
    LongStream seeds = only >= 0 ? LongStream.of(only) : LongStream.range(0, SEEDS);
    Optional<String> found =
        seeds
            .parallel()
            .mapToObj(seed -> walk(Rules.REAL, seed))
            .flatMap(Optional::stream)
            .findAny();
    assertThat(found).isEmpty();
    System.out.printf(
        "mode machine: %,d steps with %,d changes of mode%n", steps.sum(), changes.sum());
  }

  @ParameterizedTest
  @EnumSource(BrokenRules.class)
  void aBrokenProtocolIsNoticed(BrokenRules broken) {
    assertThat(
            LongStream.range(0, 20_000)
                .mapToObj(seed -> walk(broken.rules, seed))
                .flatMap(Optional::stream)
                .findFirst())
        .isPresent();
  }

  private Optional<String> walk(Rules rules, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    boolean ticks = random.nextInt(4) == 0;
    SmallMoves.Bounds bounds =
        new SmallMoves.Bounds(
            3, ticks ? 1 : 2, 20, random.nextInt(3), 1 + random.nextInt(3), ticks);
    SmallPair state = new SmallPair(Rules.REAL, 3, ticks).with(rules);
    Calm calm = new Calm();
    List<String> way = new ArrayList<>();
    try {
      for (int step = 0; step < STEPS; step++) {
        List<SmallPair> next = new ArrayList<>();
        List<Supplier<String>> labels = new ArrayList<>();
        SmallMoves.of(
            state,
            bounds,
            (what, following) -> {
              next.add(following);
              labels.add(what);
            });
        int chosen = random.nextInt(next.size());
        boolean changesMode = next.get(chosen).changes > state.changes;
        if (changesMode && random.nextInt(4) > 0) {
          continue; // Not at every turn, or nobody would ever hold anything.
        }
        way.add(labels.get(chosen).get());
        state = next.get(chosen);
        state.check();
        calm.check(state);
        steps.increment();
      }
      changes.add(state.changes);
      return Optional.empty();
    } catch (Violated violated) {
      return Optional.of(
          "seed "
              + seed
              + " (alone: -Dpawl.seed="
              + seed
              + "): "
              + violated.getMessage()
              + "\n  "
              + String.join("\n  ", way));
    }
  }
}
