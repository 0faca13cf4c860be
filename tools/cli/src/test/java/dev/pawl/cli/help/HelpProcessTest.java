package dev.pawl.cli.help;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Help, manual pages and completion, as the tools of a shell take them. */
class HelpProcessTest {

  @TempDir private Path directory;

  @Test
  void theHelpNamesTheCommandsInGroups() {
    Result help = PawlProcess.run("memory:", "help");
    assertThat(help.code()).isZero();
    assertThat(help.out()).containsSubsequence("Run:", "Look:", "  ls ", "Step in:", "  release ");
    assertThat(help.out()).contains("Examples:").doesNotContain("%n");
    assertThat(PawlProcess.run("memory:", "ls", "--help").out())
        .contains("Usage: pawl ls", "--json", "Examples:");
  }

  @Test
  void bashCompletesCommandsAndOptions() {
    String line =
        """
        source <("$PAWL" completion bash)
        complete -p pawl
        compopt() { :; } # Refuses to run outside a real completion.
        COMP_WORDS=(pawl rel) COMP_CWORD=1 COMP_LINE="pawl rel" COMP_POINT=8
        _complete_pawl; echo "${COMPREPLY[*]}"
        COMP_WORDS=(pawl ls --js) COMP_CWORD=2 COMP_LINE="pawl ls --js" COMP_POINT=12
        _complete_pawl; echo "${COMPREPLY[*]}"
        """;
    try (PawlProcess bash = PawlProcess.startBash(Map.of(), line)) {
      Result result = bash.await();
      assertThat(result.err()).isEmpty();
      assertThat(result.out().lines())
          .containsExactly("complete -o default -F _pawl_names pawl", "release", "--json");
    }
  }

  @Test
  void pagesThatCannotBeWrittenAreAnOutputThatCannotBe() {
    Result result = PawlProcess.run("memory:", "man", "--to", "/dev/null/man1");
    assertThat(result.code()).isEqualTo(74);
    assertThat(result.err())
        .startsWith("pawl: cannot write to /dev/null/man1: ")
        .doesNotContain("java.");
  }

  /** Where there are no manual pages, as in a container, there may be a man that only says so. */
  private static boolean canRender() {
    String tools = "command -v col >/dev/null && command -v nroff >/dev/null && man --version";
    try (PawlProcess bash = PawlProcess.startBash(Map.of("LC_ALL", "C.UTF-8"), tools)) {
      Result result = bash.await();
      return result.code() == 0 && result.out().startsWith("man ");
    }
  }

  @Test
  void theManualPagesAreRenderedWithoutComplaint() throws IOException {
    Result written = PawlProcess.run("memory:", "man", "--to", directory.toString());
    assertThat(written).isEqualTo(new Result(0, "", ""));
    try (Stream<Path> pages = Files.list(directory)) {
      assertThat(pages.map(page -> page.getFileName().toString()))
          .contains("pawl.1", "pawl-ls.1", "pawl-release.1", "pawl-top.1");
    }
    String line =
        "for page in "
            + directory
            + "/*.1; do man --warnings=w -l \"$page\" || exit 1; done | col -b";
    assumeTrue(canRender(), "there is no command man, or none that works");
    try (PawlProcess bash =
        PawlProcess.startBash(Map.of("MANWIDTH", "80", "LC_ALL", "C.UTF-8"), line)) {
      Result result = bash.await();
      assertThat(result.err()).isEmpty();
      assertThat(result.code()).isZero();
      assertThat(result.out())
          .contains("PAWL-RELEASE(1)", "--reason TEXT", "EXIT STATUS", "--reason \"host is gone\"");
    }
  }
}
