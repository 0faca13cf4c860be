package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The end of the process by a signal, as the script sees it that has started it. */
class SignalsTest {

  /** A process whose thread was interrupted by a signal that came before the command was known. */
  static final class Interrupted {
    private Interrupted() {}

    public static void main(String[] args) {
      Thread.currentThread().interrupt();
      Signals.dieOf("INT");
      Runtime.getRuntime().halt(0);
    }
  }

  @Test
  void itDiesOfItAlsoWhereItsThreadWasInterrupted() throws Exception {
    ProcessBuilder builder =
        PawlProcess.heeding(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Interrupted.class.getName());
    assertThat(builder.inheritIO().start().waitFor()).isEqualTo(130);
  }
}
