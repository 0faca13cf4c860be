package dev.pawl.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SeldomTest {

  private static final long HOUR = Duration.ofHours(1).toNanos();

  private final Seldom seldom = new Seldom();

  @Test
  void onceAnHourForEachName() {
    long start = Long.MAX_VALUE - HOUR / 2; // The clock of a JVM may overflow.
    assertThat(seldom.isDue("a", start)).isTrue();
    assertThat(seldom.isDue("a", start + HOUR - 1)).isFalse();
    assertThat(seldom.isDue("b", start + 1)).isTrue();
    assertThat(seldom.isDue("a", start + HOUR)).isTrue();
    assertThat(seldom.isDue("a", start + HOUR + 1)).isFalse();
  }

  @Test
  void whatWasSaidLongestAgoIsForgotten() {
    for (int i = 0; i <= 1_000; i++) {
      assertThat(seldom.isDue("name " + i, i)).isTrue();
    }
    assertThat(seldom.isDue("name 1000", 1_001)).isFalse();
    assertThat(seldom.isDue("name 0", 1_001)).isTrue();
  }
}
