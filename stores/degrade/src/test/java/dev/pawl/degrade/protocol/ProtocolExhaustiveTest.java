package dev.pawl.degrade.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Shows, by visiting every state that few enough steps lead to, that nothing three nodes do with
 * two names lets two of them work under one, gives out a token that is not higher than those
 * before, or leaves anybody stuck; and that each of the known holes is found if it is opened.
 */
@Tag("safety")
class ProtocolExhaustiveTest {

  private static final boolean LONG = Boolean.getBoolean("pawl.long");

  @ParameterizedTest
  @CsvSource({
    // nodes, names, changes, crashes, late, ticks, steps
    "3, 2, 2, 2, 2, false, 6",
    "3, 1, 3, 1, 1, false, 7",
    "2, 1, 3, 1, 2, false, 9",
    "2, 1, 2, 1, 1, true, 8",
  })
  void noStateBreaksARuleOrLeavesAnybodyStuck(
      int nodes, int names, int changes, int crashes, int late, boolean ticks, int steps) {
    long start = System.nanoTime();
    SmallSearch search =
        new SmallSearch(
                Rules.REAL, new SmallMoves.Bounds(nodes, names, changes, crashes, late, ticks))
            .explore(steps + (LONG ? 3 : 0));
    System.out.printf(
        "mode machine: %d nodes, %d %s: %,d states and %,d transitions, %d steps deep, %d s%n",
        nodes,
        names,
        ticks ? "jobs" : "names",
        search.states(),
        search.transitions(),
        search.depth(),
        (System.nanoTime() - start) / 1_000_000_000);
    assertThat(search.states()).isGreaterThan(10_000);
  }

  @ParameterizedTest
  @EnumSource(BrokenRules.class)
  void theSearchFindsAShortestWayToWhatABrokenProtocolDoes(BrokenRules broken) {
    SmallMoves.Bounds bounds =
        switch (broken) {
          case VOTES_OF_ALL -> new SmallMoves.Bounds(3, 1, 0, 2, 0, false);
          case MARKS_ARE_NOT_READ, REPORTS_WHAT_IS_IN_DOUBT ->
              new SmallMoves.Bounds(2, 1, 1, 0, 1, true);
          case NAMES_WITHOUT_EPOCH -> new SmallMoves.Bounds(2, 1, 1, 1, 0, false);
          case MODE_LEASE_FROM_THE_ANSWER -> new SmallMoves.Bounds(2, 1, 1, 0, 1, false);
          default -> new SmallMoves.Bounds(2, 1, 1, 0, 0, false);
        };
    SmallSearch search = new SmallSearch(broken.rules, bounds);
    assertThatThrownBy(() -> search.explore(14))
        .isInstanceOf(AssertionError.class)
        .message()
        .containsPattern(broken.symptom)
        .satisfies(way -> System.out.println(broken + ": " + way));
  }
}
