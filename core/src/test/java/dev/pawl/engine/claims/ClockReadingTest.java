package dev.pawl.engine.claims;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Grant;
import org.junit.jupiter.api.Test;

class ClockReadingTest {

  private static final long SECOND = 1_000_000_000;
  private static final long MICROS = 1_000_000;

  /** What is taken off ten seconds for the drift of two clocks. */
  private static final long DRIFT = SECOND / 10 + 2_000_000;

  private final ClockReading clock = new ClockReading();

  @Test
  void aGrantThatIsToldBeforeAnyAnswerCountsFromTheQuestion() {
    clock.ask(1 * SECOND);
    clock.ask(2 * SECOND);
    assertThat(clock.isRead()).isFalse();
    assertThat(clock.askedNanos()).isEqualTo(1 * SECOND);
    assertThat(clock.deadline(grant(500, 510), 3 * SECOND)).isEqualTo(11 * SECOND - DRIFT);
    assertThat(clock.microsAt(3 * SECOND)).isZero();
  }

  @Test
  void aGrantEndsByTheExchangeHoweverLateItIsTold() {
    clock.ask(1 * SECOND);
    clock.read(1 * SECOND, 500 * MICROS);
    assertThat(clock.isRead()).isTrue();
    // Made five seconds after the exchange, told nine after it: six seconds are left of its ten.
    assertThat(clock.deadline(grant(505, 515), 10 * SECOND))
        .isEqualTo(16 * SECOND - 15 * SECOND / 100 - 2_000_000);
  }

  @Test
  void noGrantLastsLongerThanFromNow() {
    // By the exchange, whose answer was long under way, it would end at 18 seconds.
    clock.ask(8 * SECOND);
    clock.read(8 * SECOND, 500 * MICROS);
    assertThat(clock.deadline(grant(500, 510), 1 * SECOND)).isEqualTo(11 * SECOND - DRIFT);
  }

  @Test
  void theReadingOfTheLatestExchangeCounts() {
    clock.ask(1 * SECOND);
    clock.read(3 * SECOND, 502 * MICROS);
    clock.read(2 * SECOND, 777 * MICROS);
    assertThat(clock.askedNanos()).isEqualTo(3 * SECOND);
    assertThat(clock.microsAt(4 * SECOND)).isEqualTo(503 * MICROS);
    clock.read(5 * SECOND, 600 * MICROS);
    assertThat(clock.microsAt(4 * SECOND)).isEqualTo(599 * MICROS);
  }

  @Test
  void aGrantEndsInTimeThoughTheClockOfTheNodeRunsOver() {
    long now = Long.MAX_VALUE - 9 * SECOND;
    clock.ask(now - 5 * SECOND);
    assertThat(clock.deadline(grant(500, 510), now)).isEqualTo(now + 5 * SECOND - DRIFT);
  }

  private static Grant grant(long nowSeconds, long untilSeconds) {
    return new Grant(ClaimId.parse("node/1"), 7, 1, untilSeconds * MICROS, nowSeconds * MICROS);
  }
}
