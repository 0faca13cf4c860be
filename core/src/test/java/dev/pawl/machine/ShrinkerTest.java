package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Shows that the shrinker leaves exactly what is needed to fail, in its order. */
class ShrinkerTest {

  private static final List<Integer> HUNDRED = IntStream.range(0, 100).boxed().toList();

  @Test
  void oneCulpritIsLeftAlone() {
    assertThat(Shrinker.shrink(HUNDRED, list -> list.contains(37))).containsExactly(37);
  }

  @Test
  void culpritsThatNeedEachOtherStayInOrder() {
    assertThat(Shrinker.shrink(HUNDRED, list -> list.containsAll(List.of(3, 50, 99))))
        .containsExactly(3, 50, 99);
  }

  @Test
  void whatBecomesNeedlessLaterIsTriedAgain() {
    // 10 is needed as long as 20 is there; 20 is needed for nothing.
    assertThat(Shrinker.shrink(HUNDRED, l -> l.contains(5) && (!l.contains(20) || l.contains(10))))
        .containsExactly(5);
  }

  @Test
  void aListThatFailsByItsLengthKeepsIt() {
    assertThat(Shrinker.shrink(HUNDRED, list -> list.size() >= 7)).hasSize(7);
  }

  @Test
  void whatFailsWithoutAnyElementShrinksToNothing() {
    assertThat(Shrinker.shrink(HUNDRED, list -> true)).isEmpty();
    assertThat(Shrinker.shrink(List.of(), list -> true)).isEmpty();
  }

  @Test
  void theGivenListIsNotTouched() {
    List<Integer> given = new ArrayList<>(HUNDRED);
    Shrinker.shrink(given, list -> list.contains(1));
    assertThat(given).isEqualTo(HUNDRED);
  }
}
