package dev.pawl.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final CommandLine pawl =
      Main.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));

  @Test
  void theVersionStartsWithTheName() {
    assertThat(pawl.execute("--version")).isZero();
    assertThat(out.toString()).startsWith("pawl ");
  }

  @Test
  void anUnknownOptionIsAUsageError() {
    assertThat(pawl.execute("--no-such-option")).isEqualTo(64);
    assertThat(err.toString()).contains("--no-such-option");
  }

  @ParameterizedTest
  @CsvSource({"rn x,run", "lss,ls", "docter,doctor", "jobs resmue x,resume"})
  void theCommandThatWasProbablyMeantIsNamed(String line, String meant) {
    assertThat(pawl.execute(line.split(" ", -1))).isEqualTo(64);
    assertThat(err.toString()).contains("unknown command", "did you mean " + meant + "?");
  }

  /** A command that is run alone is the one of the whole. */
  @Test
  void eachCommandHasTheSameHelpAloneAndAmongAll() {
    pawl.getSubcommands()
        .forEach(
            (name, command) -> {
              assertThat(command.getCommandName()).isEqualTo(name);
              CommandLine alone = Main.commandLine(name, "--help").getSubcommands().get(name);
              assertThat(alone.getUsageMessage()).isEqualTo(command.getUsageMessage());
            });
    assertThat(Main.commandLine("ls").getSubcommands()).containsOnlyKeys("ls");
  }

  @Test
  void noHelpHasAVariableThatIsNotSet() {
    for (CommandLine command : pawl.getSubcommands().values()) {
      assertThat(command.getUsageMessage()).doesNotContainPattern("(?<!/dev/)null");
    }
  }
}
