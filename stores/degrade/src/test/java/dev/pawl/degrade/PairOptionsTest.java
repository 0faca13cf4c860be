package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The third part of the URL of a pair. */
class PairOptionsTest {

  @Test
  void allSettingsAreRead() {
    PairOptions options =
        PairOptions.DEFAULT.with(
            "mode-lease=5s & vote=no & dead-after=3s & return-after=1m & backup-calls=7");
    assertThat(options)
        .isEqualTo(
            new PairOptions(
                Duration.ofSeconds(5), false, Duration.ofSeconds(3), Duration.ofMinutes(1), 7));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "mode-lease=10x | mode-lease: \"10x\" is no duration",
        "Dead-After=PT1S | dead-after: \"PT1S\" is no duration",
        "mode-lease=1ms | mode-lease is 1ms; allowed is 500ms to 1h",
        "vote=maybe | vote is \"maybe\"; allowed is yes and no",
        "backup-calls=few | backup-calls is \"few\", which is no number",
        "vote=no&vote=yes | vote is given twice",
        "lease=5s | it has mode-lease, vote, dead-after, return-after and backup-calls"
      })
  void whatIsWrongIsSaid(String settings, String message) {
    assertThatThrownBy(() -> PairOptions.DEFAULT.with(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
