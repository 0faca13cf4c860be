package dev.pawl.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Finding.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeTest {

  @Test
  void aStoreInMemoryIsUnfitForSeveralProcesses() {
    try (Pawl pawl = Pawl.connect("memory:")) {
      List<Finding> findings = new Probe(pawl, Clock.systemUTC()).findings();
      assertThat(findings)
          .filteredOn(finding -> finding.level() != Level.FINE)
          .singleElement()
          .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.UNSAFE))
          .satisfies(finding -> assertThat(finding.why()).contains("no other process"));
      assertThat(pawl.inspector().list("", 1)).isEmpty();
    }
  }

  @Test
  void aLockIsTakenTwice() throws Exception {
    try (Pawl pawl = Pawl.connect("memory:")) {
      assertThat(Probe.lockAndRelease(pawl).level()).isEqualTo(Level.FINE);
    }
  }

  @Test
  void aClockThatIsOffIsAWarningInTheRightDirection() {
    Clock fast = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(10));
    try (Pawl pawl = Pawl.connect("memory:")) {
      assertThat(new Probe(pawl, fast).findings())
          .filteredOn(finding -> finding.level() == Level.WARNING)
          .singleElement()
          .satisfies(finding -> assertThat(finding.what()).matches(".* (9m59|10m00)s behind .*"));
    }
    assertThat(Probe.clockOffset(Duration.ofSeconds(3)).what()).contains("3.0s ahead of");
  }

  @Test
  void slowAnswersAreAWarning() {
    assertThat(Probe.roundTrip(1_000_000, 499_000_000).level()).isEqualTo(Level.FINE);
    assertThat(Probe.roundTrip(1_000_000, 500_000_000).level()).isEqualTo(Level.WARNING);
  }
}
