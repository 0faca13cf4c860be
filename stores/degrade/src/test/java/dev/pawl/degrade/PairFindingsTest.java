package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.Finding;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairStatus.Node;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PairFindingsTest {

  private static final Node WELL = new Node("1", "web-1", true, true, true, true);

  private static PairStatus status(Mode mode, boolean chosen, Node... nodes) {
    return new PairStatus(
        mode,
        3,
        Optional.empty(),
        "most nodes see the primary dead",
        chosen,
        "redis://cache",
        "jdbc:postgresql://db/app",
        Duration.ofSeconds(60),
        List.of(nodes),
        List.of());
  }

  private static List<String> warnings(PairStatus status) {
    return PairFindings.of(status).stream()
        .filter(finding -> finding.level() == Finding.Level.WARNING)
        .map(Finding::what)
        .toList();
  }

  @Test
  void inTheCalmThereIsNothingToWarnOf() {
    assertThat(warnings(status(Mode.PRIMARY, false, WELL))).isEmpty();
  }

  @Test
  void anyOtherModeIsAWarningWithItsReason() {
    assertThat(warnings(status(Mode.BACKUP, false, WELL)))
        .containsExactly("mode: backup: most nodes see the primary dead");
    assertThat(PairFindings.of(status(Mode.BACKUP, true, WELL)).get(0).remedy())
        .contains("--switch primary");
  }

  @Test
  void whoHasNotConfirmedAndWhoIsCutOffIsNamed() {
    Node late = new Node("2", "web-2", true, false, false, true);
    Node cutOff = new Node("3", "web-3", true, true, true, false);
    assertThat(warnings(status(Mode.PRIMARY, false, WELL, late, cutOff)))
        .containsExactly("not confirmed yet by web-2", "the primary is not reached by web-3");
  }

  @Test
  void nobodyWhoVotesIsAWarning() {
    assertThat(warnings(status(Mode.PRIMARY, false)))
        .containsExactly("no node that votes is connected");
    assertThat(
            warnings(status(Mode.PRIMARY, false, new Node("4", "run@a", false, true, true, true))))
        .containsExactly("no node that votes is connected");
  }
}
