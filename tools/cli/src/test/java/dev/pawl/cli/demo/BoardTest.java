package dev.pawl.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.demo.Board.Tone;
import dev.pawl.cli.shell.Screen;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class BoardTest {

  private final StringWriter out = new StringWriter();
  private final Timing timing = new Timing(Act.of(Act.Tale.NODES));
  private final Screen screen =
      Screen.of(new CommandLine(new DemoCommand()).setOut(new PrintWriter(out)).getCommandSpec());

  @Test
  void aPlainLineHasTheTimeAndNothingForATerminal() {
    Board board = new Board.Plain(screen, timing);
    board.tell(Tone.HEADLINE, "Act 1.");
    board.tell(Tone.GOOD, "it goes on");
    board.refresh();
    board.close();
    assertThat(out.toString()).matches(" +\\d+\\.\\ds  Act 1\\.\\R +\\d+\\.\\ds    it goes on\\R");
  }

  @Test
  void aLiveLineStaysAboveThePanelAndTheEndGivesTheCursorBack() {
    Board board = new Board.Live(screen, timing, () -> List.of("panel", "of two lines"));
    board.refresh();
    board.tell(Tone.PLAIN, "it goes on");
    board.close();
    assertThat(out.toString())
        .containsSubsequence(
            "\u001b[?25l", "panel\nof two lines\n", "\u001b[2F\u001b[J", "it goes on\n", "panel")
        .endsWith("\u001b[2F\u001b[J\u001b[?25h");
  }

  @Test
  void thePanelOfSixteenNodesFitsAnOrdinaryTerminal() {
    Panel panel = new Panel(screen, timing);
    for (int node = 1; node <= 16; node++) {
      panel.hear(node, new Report(Report.Kind.SENDING, "Cleo"));
    }
    panel.phones(List.of(new Message(Act.NO_LOCK, 1, "Ann", 1)));
    assertThat(panel.lines())
        .hasSizeLessThan(24)
        .allMatch(line -> line.length() < 80)
        .anyMatch(line -> line.contains("node 16 sending to Cleo"))
        .anyMatch(line -> line.contains("Ann 1  Ben 0"));
  }
}
