package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.cli.PawlProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code pawl run} at a terminal: prompts, keys that send signals, pagers and scripts. */
class RunTerminalProcessTest {

  /** Has the shell start each command as an interactive shell does. */
  private static final String AT_A_PROMPT = "set -m; ";

  @TempDir private Path directory;
  private Commands commands;

  @BeforeEach
  void setUp() {
    assumeTrue(PawlProcess.hasTerminal(), "there is no command script to make a terminal");
    commands = new Commands(directory);
  }

  private PawlProcess onTerminal(String line) {
    return onTerminal(System.getenv("PATH"), line);
  }

  private PawlProcess onTerminal(String path, String line) {
    String store = "sqlite:" + directory.resolve("locks.db");
    return PawlProcess.startOnTerminal(
        Map.of("PAWL_STORE", store, "TERM", "xterm", "SHELL", "/bin/bash", "PATH", path), line);
  }

  @Test
  void aPromptOfTheCommandIsAnswered() {
    try (PawlProcess shell =
        onTerminal(
            AT_A_PROMPT
                + "\"$PAWL\" run a -c 'echo ready; read x </dev/tty; echo got $x'; echo code $?")) {
      shell.awaitText("ready");
      shell.type("secret\n");
      assertThat(shell.await().out()).contains("got secret", "code 0");
    }
  }

  @ParameterizedTest
  @CsvSource({"3, 130", "28, 131"})
  void keysReachTheCommandAndCtrlZDoesNotSuspendIt(int key, int code) {
    try (PawlProcess shell =
        onTerminal(AT_A_PROMPT + "\"$PAWL\" run a -c 'echo ready; exec sleep 300'; exit $?")) {
      shell.assumeHeeds("INT");
      shell.awaitText("ready");
      shell.type("\u001a");
      shell.type(Character.toString(key));
      PawlProcess.Result result = shell.await();
      assertThat(result.code()).as(result.out()).isEqualTo(code);
      assertThat(result.out()).doesNotContain("Stopped", "thread dump");
    }
  }

  @Test
  void aPagerBehindItKeepsTheTerminal() {
    try (PawlProcess shell =
        onTerminal(
            AT_A_PROMPT
                + "\"$PAWL\" run a -c 'echo text; exec sleep 300' |"
                + " { read x; echo \"page $x\"; read k </dev/tty; echo \"key $k\"; kill 0; }")) {
      shell.awaitText("page text");
      shell.type("q\n");
      shell.awaitText("key q");
    }
  }

  @Test
  void ctrlCEndsAScriptThatRunsOneAfterTheOther() {
    endsAScriptByCtrlC(System.getenv("PATH"), "ready");
  }

  /** Until it has a session of its own, Ctrl-C is for the leash as well. */
  @ParameterizedTest
  @ValueSource(strings = {"starting", "ready"})
  void itDoesSoWhereTheLeashTakesItsTimeToStart(String moment) throws IOException {
    String slow =
        "case \"$*\" in *pawl-leash*) echo starting >&2; sleep 1;; esac; PATH=%s exec setsid \"$@\"\n";
    String path = System.getenv("PATH");
    PawlProcess.writeScript(
        directory.resolve("setsid"), "#!/bin/sh\n" + slow.formatted("'" + path + "'"));
    endsAScriptByCtrlC(directory + ":" + path, moment);
  }

  private void endsAScriptByCtrlC(String path, String moment) {
    try (PawlProcess shell =
        onTerminal(
            path,
            "for i in 1 2 3; do \"$PAWL\" run a -c 'echo ready; exec sleep 300'; done;"
                + " echo not reached")) {
      shell.assumeHeeds("INT");
      shell.awaitText(moment);
      shell.type("\u0003");
      String out = shell.await().out();
      assertThat(out).doesNotContain("not reached");
      assertThat(out.split("ready", -1)).as(out).hasSize(moment.equals("ready") ? 2 : 1);
    }
  }

  @Test
  void theCommandDiesWithPawl() {
    String line =
        "trap \"\" TERM; echo $$ > %1$s; echo ${PAWL_NODE##*:} > %1$s-pawl; while :; do sleep 1; done";
    try (PawlProcess shell =
        onTerminal(
            AT_A_PROMPT
                + "\"$PAWL\" run a -c '"
                + line.formatted(commands.file("command"))
                + "'; echo ended")) {
      ProcessHandle command = commands.running("command");
      commands.running("command-pawl").destroyForcibly();
      Commands.endOf(command);
      shell.awaitText("ended");
    }
  }
}
