package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.TextWidth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

class TopFrameTest {

  private static final Instant NOW = Instant.parse("2026-01-02T03:04:05Z");

  private final Screen screen = Screen.of(new CommandLine(CommandSpec.create()).getCommandSpec());
  private final LeaseBars bars = new LeaseBars();

  @ParameterizedTest
  @CsvSource({"24,80", "8,30", "5,200", "2,20", "1,1", "60,120"})
  void itFitsTheWindow(int rows, int columns) {
    List<String> lines = frame(30, 10).lines(new Terminal.Size(rows, columns), ", q ends", "");
    assertThat(lines).hasSizeBetween(1, rows);
    assertThat(lines).allMatch(line -> TextWidth.of(line) <= columns);
  }

  @Test
  void whatIsLeftOutIsCounted() {
    List<String> lines = frame(30, 0).lines(new Terminal.Size(12, 200), "", "");
    assertThat(lines).hasSize(12);
    assertThat(lines.get(11)).isEqualTo("… and 22 more");
  }

  @Test
  void whatWentWrongIsShownAboveTheLastAnswer() {
    List<String> lines = frame(1, 1).lines(new Terminal.Size(24, 200), "", "no connection");
    assertThat(lines.get(1)).isEqualTo("no connection");
    assertThat(lines).anyMatch(line -> line.contains("lock-0"));
    assertThat(lines).anyMatch(line -> line.contains("nightly-0"));
  }

  @Test
  void aBarShowsWhatIsLeftOfTheMostThatWasSeen() {
    bars.see(List.of(lock("a", Duration.ofSeconds(10))));
    bars.see(List.of(lock("a", Duration.ofSeconds(5))));
    assertThat(bars.bar(lock("a", Duration.ofSeconds(5)).holders().get(0)))
        .isEqualTo("█████░░░░░ 5.0s");
    bars.see(List.of());
    assertThat(bars.bar(lock("a", Duration.ofSeconds(5)).holders().get(0)))
        .isEqualTo("██████████ 5.0s");
  }

  private TopFrame frame(int locks, int jobs) {
    return new TopFrame(
        screen,
        new TopSnapshot(
            "memory:",
            new Now(NOW),
            IntStream.range(0, locks)
                .mapToObj(i -> lock("lock-" + i, Duration.ofSeconds(i)))
                .toList(),
            IntStream.range(0, jobs)
                .mapToObj(
                    i ->
                        new JobStatus(
                            "nightly-" + i, lock("job:" + i, Duration.ZERO), Optional.empty()))
                .toList()),
        bars);
  }

  private static LockInfo lock(String name, Duration left) {
    return new LockInfo(
        name,
        7,
        OptionalLong.empty(),
        List.of(new LockInfo.Holder("node/1", "名前@host", "main#1", true, 1, 7, NOW, left)),
        List.of());
  }
}
