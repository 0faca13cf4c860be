package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Finding.Level;
import dev.pawl.spi.LockStore;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProbeTest {

  /** On a busy one each answer may be slow. */
  private static boolean isOfTheMachine(Finding finding) {
    return finding.what().startsWith("round trip: ");
  }

  @Test
  void aStoreInMemoryIsUnfitForSeveralProcesses() {
    try (Pawl pawl = Pawl.connect("memory:")) {
      List<Finding> findings = new Probe((LockStore) pawl.store(), Clock.systemUTC()).findings();
      assertThat(findings)
          .filteredOn(finding -> finding.level() != Level.FINE && !isOfTheMachine(finding))
          .singleElement()
          .satisfies(finding -> assertThat(finding.level()).isEqualTo(Level.UNSAFE))
          .satisfies(finding -> assertThat(finding.why()).contains("no other process"));
      assertThat(pawl.inspector().list("", 1)).isEmpty();
    }
  }

  @Test
  void aClockThatIsOffIsAWarningInTheRightDirection() {
    Clock fast = Clock.offset(Clock.systemUTC(), Duration.ofMinutes(10));
    try (Pawl pawl = Pawl.connect("memory:")) {
      assertThat(new Probe((LockStore) pawl.store(), fast).findings())
          .filteredOn(finding -> finding.level() == Level.WARNING && !isOfTheMachine(finding))
          .singleElement()
          .satisfies(finding -> assertThat(finding.what()).matches(".* (9|10)m behind .*"));
    }
    assertThat(Probe.clockOffset(Duration.ofSeconds(3)).what()).contains("3.0s ahead of");
  }

  @Test
  void slowAnswersAreAWarning() {
    assertThat(Probe.roundTrip(1_000_000, 499_000_000).level()).isEqualTo(Level.FINE);
    assertThat(Probe.roundTrip(1_000_000, 500_000_000).level()).isEqualTo(Level.WARNING);
  }
}
