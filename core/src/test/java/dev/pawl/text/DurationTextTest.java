package dev.pawl.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "30s,PT30S", "1m30s,PT1M30S", "2h,PT2H", "1d,PT24H", "0s,PT0S"})
  void unitsAreAddedUp(String text, Duration duration) {
    assertThat(DurationText.parse(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "30", "s", "-5s", "1.5s", "5 s", "5S", "5x", "PT5S", "s5", "999999999999d"})
  void whatIsNoDurationIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> DurationText.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("1m30s");
  }

  @ParameterizedTest
  @ValueSource(strings = {"500ms", "30s", "1m30s", "2h", "1d", "0s", "1d2h3m4s5ms", "366d"})
  void whatIsShownCanBeReadAgain(String text) {
    assertThat(DurationText.format(DurationText.parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "PT-1.5S,-1s500ms",
    "PT-0.000000001S,-1ns",
    "PT24H0.000000001S,1d1ns",
    "PT-2562047788015215H-30M-8S,PT-2562047788015215H-30M-8S"
  })
  void whatIsNeverAllowedIsShownAsItIs(Duration duration, String text) {
    assertThat(DurationText.format(duration)).isEqualTo(text);
  }
}
