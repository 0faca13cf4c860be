package dev.pawl.cli.shell;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outputs that cannot be written, and what the JVM would write to them. */
class OutputProcessTest {

  @TempDir private Path directory;
  private Map<String, String> environment;

  @BeforeEach
  void setUp() {
    environment = Map.of("PAWL_STORE", "sqlite:" + directory.resolve("locks.db"));
  }

  @ParameterizedTest
  @CsvSource({
    "ls --json >/dev/full, No space left on device",
    "--version >/dev/full, No space left on device",
    "hold a </dev/null >/dev/full, No space left on device",
    "ls --json >&-, Bad file descriptor",
    "help >&-, Bad file descriptor",
  })
  void anOutputThatCannotBeWrittenIsAnError(String line, String reason) {
    assumeTrue(Files.exists(Path.of("/dev/full")), "there is no /dev/full");
    try (PawlProcess bash = PawlProcess.startBash(environment, "\"$PAWL\" " + line)) {
      assertThat(bash.await())
          .isEqualTo(new Result(74, "", "pawl: cannot write the output: " + reason + "\n"));
    }
  }

  @Test
  void aCommandIsRunWithAClosedOutput() {
    try (PawlProcess bash =
        PawlProcess.startBash(environment, "\"$PAWL\" run a -- sh -c 'echo x || exit 9' >&-")) {
      assertThat(bash.await().code()).isEqualTo(9);
    }
  }

  @Test
  void theThreadsOfTheJvmAreNotInTheOutput() {
    try (PawlProcess pawl =
        PawlProcess.start(
            environment, "run", "a", "-c", "echo before; read line; echo after $line")) {
      pawl.awaitText("before");
      pawl.signal("QUIT");
      pawl.awaitText("Full thread dump");
      pawl.type("all\n");
      Result result = pawl.await();
      assertThat(result.out()).isEqualTo("before\nafter all\n");
      assertThat(result.code()).isZero();
    }
  }
}
