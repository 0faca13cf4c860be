package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JobControl;
import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Screen;
import dev.pawl.cli.shell.TextWidth;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
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
  private TopControls controls = TopControls.START;

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

  @Test
  void atTheUsualSizeWhatMattersIsThere() {
    LockInfo lock = lock("tenant-0815:invoices:settlement:2026-01:region-north:42", 4, 3);
    TopSnapshot snapshot =
        new TopSnapshot(
            "jdbc:postgresql://db-primary.example.com/billing",
            "",
            new Now(NOW),
            List.of(lock),
            List.of());
    List<String> lines =
        new TopFrame(screen, snapshot, bars, controls).lines(Terminal.Size.USUAL, "", "");
    assertThat(lines.get(0)).startsWith("1 held, 3 waiting, 0 jobs running");
    assertThat(lines.get(2)).contains("NAME", "HOLDER", "WAITING", "LEASE LEFT");
    assertThat(lines.get(3)).startsWith("tenant-").contains("…", "region-north:42 ", " 3 ", "4.0s");
    assertThat(lines).allMatch(line -> TextWidth.of(line) <= 80);
  }

  @Test
  void aPairThatIsNotInItsPrimaryIsSaidInALine() {
    TopSnapshot snapshot =
        new TopSnapshot("a | b", "backup: a is dead", new Now(NOW), List.of(), List.of());
    TopFrame frame = new TopFrame(screen, snapshot, bars, controls);
    assertThat(frame.lines(Terminal.Size.USUAL, "hint", "").get(1))
        .isEqualTo("mode: backup: a is dead");
    assertThat(frame.lines(Terminal.Size.USUAL, "hint", "trouble").get(1)).isEqualTo("trouble");
  }

  @Test
  void inASmallWindowWhatMattersIsThere() {
    LockInfo lock = lock("tenant-0815:invoices:settlement:2026-01:region-north:42", 4, 3);
    TopSnapshot snapshot =
        new TopSnapshot("sqlite:locks.db", "", new Now(NOW), List.of(lock), List.of());
    List<String> lines =
        new TopFrame(screen, snapshot, bars, controls).lines(new Terminal.Size(10, 40), "", "");
    assertThat(lines.get(2)).contains("NAME", "WAITING", "LEASE LEFT");
    assertThat(lines.get(3)).startsWith("ten").contains("…", ":42 ", " 3 ").endsWith("4.0s");
  }

  @Test
  void linesThatTheLocksLeaveAreForJobs() {
    List<String> lines = frame(2, 2).lines(new Terminal.Size(10, 80), "", "");
    assertThat(lines).anyMatch(line -> line.contains("nightly-0"));
    assertThat(lines).anyMatch(line -> line.contains("nightly-1"));
    assertThat(frame(30, 10).lines(new Terminal.Size(10, 80), "", "")).hasSize(10);
  }

  @Test
  void keysSortScrollAndFilter() {
    List<LockInfo> locks =
        List.of(lock("a", 9, 1), lock("b", 3, 0), lock("c", 6, 2), lock("d", 5, 0));
    assertThat(names(locks)).containsExactly("a", "b", "c", "d");
    press("ss");
    assertThat(names(locks)).as("%s", controls.order()).containsExactly("b", "d", "c", "a");
    press("s");
    assertThat(names(locks)).as("%s", controls.order()).containsExactly("c", "a", "b", "d");
    press("s/B");
    assertThat(controls.isEnd('q')).isFalse();
    assertThat(names(locks)).containsExactly("b");
    press("q\u007f\n");
    assertThat(controls.hint()).contains("filter: B", "sort: name");
    assertThat(controls.isEnd('q')).isTrue();
    controls = controls.press(Terminal.ESCAPE, 2, 1);
    assertThat(names(locks)).hasSize(4);
    controls = controls.press(Terminal.DOWN, 2, 4);
    assertThat(controls.first()).isEqualTo(1);
    controls = controls.press(Terminal.PAGE_DOWN, 2, 4).press(Terminal.PAGE_DOWN, 2, 4);
    assertThat(controls.first()).isEqualTo(2);
    controls = controls.press(Terminal.HOME, 2, 4).press(Terminal.UP, 2, 4);
    assertThat(controls.first()).isZero();
    assertThat(controls.press(Terminal.END, 2, 4).first()).isEqualTo(2);
  }

  private List<String> names(List<LockInfo> locks) {
    return controls.choose(locks).stream().map(LockInfo::name).toList();
  }

  private void press(String keys) {
    keys.chars().forEach(key -> controls = controls.press(key, 2, 4));
  }

  private static LockInfo lock(String name, int seconds, int waiters) {
    LockInfo held = lock(name, Duration.ofSeconds(seconds));
    LockInfo.Waiter waiter = new LockInfo.Waiter("node/2", "next@host", "", true, 1, NOW);
    return new LockInfo(
        name, 7, OptionalLong.empty(), held.holders(), Collections.nCopies(waiters, waiter));
  }

  private TopFrame frame(int locks, int jobs) {
    return new TopFrame(
        screen,
        new TopSnapshot(
            "memory:",
            "",
            new Now(NOW),
            IntStream.range(0, locks)
                .mapToObj(i -> lock("lock-" + i, Duration.ofSeconds(i)))
                .toList(),
            IntStream.range(0, jobs)
                .mapToObj(
                    i ->
                        new JobStatus(
                            "nightly-" + i,
                            lock("job:" + i, Duration.ZERO),
                            Optional.empty(),
                            JobControl.none("nightly-" + i)))
                .toList()),
        bars,
        controls);
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
