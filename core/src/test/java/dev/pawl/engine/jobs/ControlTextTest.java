package dev.pawl.engine.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.JobControl;
import dev.pawl.PawlException;
import dev.pawl.spi.Register;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ControlTextTest {

  private static final Instant NOW = Instant.parse("2026-11-15T12:00:00.123456Z");

  @Test
  void whatIsWrittenIsReadAgain() {
    JobControl control =
        new JobControl(
            "sms",
            Optional.of(new JobControl.Pause("a\tb\\t\n\\", "\\n 漢字 😀\n", NOW)),
            List.of(
                new JobControl.Permit(Instant.parse("2026-11-15T02:00:00Z"), "ann", "disk", NOW),
                new JobControl.Permit(Instant.parse("2026-11-15T02:00:00.001Z"), "b", "", NOW)));

    assertThat(decode(ControlText.encode(control))).isEqualTo(control);
  }

  @Test
  void whereNobodyDecidedAnythingThereIsNothing() {
    assertThat(ControlText.encode(JobControl.none("sms"))).isEmpty();
    assertThat(decode(Optional.empty())).isEqualTo(JobControl.none("sms"));
  }

  @Test
  void linesOfALaterVersionAreLeftOut() {
    assertThat(decode(Optional.of("colour\tblue\npause\t" + NOW + "\tann\twhy\textra")))
        .isEqualTo(
            new JobControl("sms", Optional.of(new JobControl.Pause("ann", "why", NOW)), List.of()));
  }

  @Test
  void aTextOfSomebodyElseIsNamed() {
    assertThatThrownBy(() -> decode(Optional.of("pause\tyesterday\tann\twhy")))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("job:sms");
  }

  @Test
  void theLongestControlFitsIntoItsRegister() {
    String most = "漢".repeat(500);
    List<JobControl.Permit> permits = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      permits.add(new JobControl.Permit(NOW.plusSeconds(i), most, most, NOW));
    }
    JobControl control =
        new JobControl("sms", Optional.of(new JobControl.Pause(most, most, NOW)), permits);

    assertThat(Register.absent("job:sms").next(ControlText.encode(control)).value()).isPresent();
  }

  private static JobControl decode(Optional<String> text) {
    return ControlText.decode(
        "sms",
        text.map(t -> new Register("job:sms", 1, Optional.of(t)))
            .orElse(Register.absent("job:sms")));
  }
}
