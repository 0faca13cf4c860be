package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that a command leaves in the background when it ends. */
class RunBackgroundProcessTest {

  @TempDir Path directory;
  private String store;
  private Commands commands;

  @BeforeEach
  void setUp() {
    store = "sqlite:" + directory.resolve("locks.db");
    commands = new Commands(directory);
  }

  /** Starts a command that ends with 3 and leaves a process behind. */
  private PawlProcess start(String child, String... arguments) {
    return commands.start(
        store,
        arguments,
        "(%s) </dev/null >/dev/null 2>&1 & echo $! > %s; exit 3"
            .formatted(child, commands.file("child")));
  }

  private int codeOfAnother() {
    return PawlProcess.run(store, "run", "a", "-n", "-q", "--", "true").code();
  }

  @Test
  void theyKeepTheLock() {
    try (PawlProcess pawl = start("exec sleep 300", "a")) {
      ProcessHandle child = commands.running("child");
      pawl.awaitText("the lock is kept while these run in the background: sleep " + child.pid());
      assertThat(codeOfAnother()).isEqualTo(75);
      child.destroy();
      Result result = pawl.await();
      assertThat(result.code()).isEqualTo(3);
      assertThat(result.err()).matches("pawl: sh has ended; [^\n]+\n");
    }
    assertThat(codeOfAnother()).isZero();
  }

  @Test
  void whoHasEndedWithTheCommandIsNotSpokenOf() {
    assertThat(start("true", "a").await()).isEqualTo(new Result(3, "", ""));
  }

  @Test
  void theyAreKilledWhereThatIsAskedFor() {
    try (PawlProcess pawl =
        start("trap '' TERM; while :; do sleep 1; done", "a", "--background", "kill")) {
      ProcessHandle child = commands.running("child");
      assertThat(pawl.await()).isEqualTo(new Result(3, "", ""));
      assertThat(Commands.isRunning(child)).isFalse();
    }
  }

  @Test
  void theyLiveOnWithoutTheLockWhereThatIsAskedFor() {
    try (PawlProcess pawl = start("exec sleep 300", "a", "--background", "leave")) {
      ProcessHandle child = commands.running("child");
      assertThat(pawl.await()).isEqualTo(new Result(3, "", ""));
      assertThat(codeOfAnother()).isZero();
      assertThat(Commands.isRunning(child)).isTrue();
      child.destroyForcibly();
    }
  }

  @Test
  void aSignalReachesThem() {
    try (PawlProcess pawl = start("exec sleep 300", "a")) {
      ProcessHandle child = commands.running("child");
      pawl.awaitText("has ended");
      pawl.signal("TERM");
      assertThat(pawl.await().code()).isEqualTo(3);
      assertThat(Commands.isRunning(child)).isFalse();
    }
  }

  @Test
  void nothingOfTheLeashIsLeft() {
    try (PawlProcess pawl = commands.startSleeper(store, "command", "a")) {
      ProcessHandle command = commands.running("command");
      ProcessGroup leash = new ProcessGroup(Commands.leashOf(pawl).pid());
      assertThat(leash.isAlive()).isTrue();
      command.destroy();
      pawl.await();
      Commands.await(() -> !leash.isAlive());
    }
  }
}
