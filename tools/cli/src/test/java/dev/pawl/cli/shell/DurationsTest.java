package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class DurationsTest {

  private final DurationConverter converter = new DurationConverter();

  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "30s,PT30S", "1m30s,PT1M30S", "2h,PT2H", "1d,PT24H", "0s,PT0S"})
  void peopleWriteUnits(String text, Duration duration) {
    assertThat(converter.convert(text)).isEqualTo(duration);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "30", "s", "-5s", "1.5s", "5 s", "5S", "5x", "PT5S", "s5", "999999999999d"})
  void whatIsNoDurationIsRefusedWithAnExample(String text) {
    assertThatThrownBy(() -> converter.convert(text))
        .isInstanceOf(TypeConversionException.class)
        .hasMessageContaining("\"" + text + "\"")
        .hasMessageContaining("1m30s");
  }

  @ParameterizedTest
  @CsvSource({
    "PT0.25S,250ms",
    "PT4.29S,4.2s",
    "PT59.99S,59.9s",
    "PT90S,1m30s",
    "PT2H5M,2h05m",
    "P3DT4H,3d04h"
  })
  void peopleReadTheTwoLargestUnits(Duration duration, String text) {
    assertThat(Durations.format(duration)).isEqualTo(text);
  }

  @Test
  void whatIsOverIsZero() {
    assertThat(Durations.format(Duration.ofSeconds(-3))).isEqualTo("0ms");
  }
}
