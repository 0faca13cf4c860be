package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code pawl run} as a process, on a SQLite file. */
class RunProcessTest {

  @TempDir Path directory;
  private String store;
  private Commands commands;

  @BeforeEach
  void setUp() {
    store = "sqlite:" + directory.resolve("locks.db");
    commands = new Commands(directory);
  }

  private Result run(String... arguments) {
    String[] all = new String[arguments.length + 1];
    all[0] = "run";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return PawlProcess.run(store, all);
  }

  @ParameterizedTest
  @CsvSource({
    "exit 0, 0",
    "exit 3, 3",
    "exit 255, 255",
    "kill -KILL $$, 137",
    "kill -TERM $$, 143",
  })
  void theExitStatusIsTheCommands(String line, int code) {
    assertThat(run("a", "--", "sh", "-c", line).code()).isEqualTo(code);
  }

  @Test
  void theCommandIsNotPassedThroughAShell() {
    Result result = run("a name; $HOME", "--", "printf", "<%s>", "a b", "$HOME", "*", "", "-n");
    assertThat(result).isEqualTo(new Result(0, "<a b><$HOME><*><><-n>", ""));
  }

  @Test
  void theCommandKnowsItsLock() {
    Result result =
        run("a", "--", "sh", "-c", "echo $PAWL_NAME $PAWL_NODE; test $PAWL_TOKEN -gt 0");
    assertThat(result.out()).matches("a sh@\\S+:\\d+\n");
    assertThat(result.code()).isZero();
  }

  @Test
  void theEnvironmentReachesTheCommandAsItIs() {
    // A shell in between would drop what is no name of a variable, such as bash's functions.
    Map<String, String> odd =
        Map.of("PAWL_STORE", store, "a.b", "1", "BASH_FUNC_greet%%", "() {  echo hi\n}");
    try (PawlProcess pawl = PawlProcess.start(odd, "run", "a", "--", "bash", "-c", "greet; env")) {
      assertThat(pawl.await().out()).startsWith("hi\n").contains("\na.b=1\n");
    }
  }

  /** A JVM raises the limit of open files for itself, and for what it starts. */
  @Test
  void theCommandHasTheLimitsOfTheCaller() {
    try (PawlProcess bash =
        PawlProcess.startBash(
            Map.of("PAWL_STORE", store),
            "ulimit -S -n 200; \"$PAWL\" run a -- sh -c 'ulimit -n' && ulimit -S -n")) {
      assertThat(bash.await()).isEqualTo(new Result(0, "200\n200\n", ""));
    }
  }

  @Test
  void theInputReachesTheCommandByteForByte() {
    String line =
        "head -c 1000000 /dev/urandom > '%1$s/input'; sha256sum < '%1$s/input';"
            + " \"$PAWL\" run a -- sha256sum < '%1$s/input';"
            + " cat '%1$s/input' | \"$PAWL\" run a -- cat | sha256sum";
    try (PawlProcess bash =
        PawlProcess.startBash(Map.of("PAWL_STORE", store), line.formatted(directory))) {
      List<String> sums = bash.await().out().lines().toList();
      assertThat(sums).hasSize(3).containsOnly(sums.get(0));
    }
  }

  @Test
  void aNameMayBeginWithADash() {
    Result result = run("--", "-a", "--", "sh", "-c", "echo $PAWL_NAME");
    assertThat(result).isEqualTo(new Result(0, "-a\n", ""));
  }

  @Test
  void aCommandThatIsNotThereIsFoundOutBeforeTheLockIsTaken() throws Exception {
    assertThat(run("a", "--", "no-such-command"))
        .isEqualTo(new Result(127, "", "pawl: \"no-such-command\": command not found\n"));
    Path text = Files.writeString(directory.resolve("text"), "no program");
    Result result = run("a", "--", text.toString());
    assertThat(result.code()).isEqualTo(126);
    assertThat(result.err()).isEqualTo("pawl: " + text + " is not executable\n");
    assertThat(run("a", "--", directory.toString()).code()).isEqualTo(126);
  }

  /** Of which the system says that the script is not there. */
  @Test
  void aScriptWhoseInterpreterIsMissingSaysSo() throws Exception {
    Path script = directory.resolve("script");
    PawlProcess.writeScript(script, "#! /no/such/shell -e\ntrue\n");
    Result missing = run("a", "--", script.toString());
    assertThat(missing.code()).isEqualTo(127);
    assertThat(missing.err())
        .isEqualTo("pawl: " + script + " begins with #!/no/such/shell, which is not there\n");

    PawlProcess.writeScript(script, "#!/bin/sh\r\ntrue\r\n");
    Result windows = run("a", "--", script.toString());
    assertThat(windows.code()).isEqualTo(127);
    assertThat(windows.err()).contains("#!/bin/sh and a carriage return", "dos2unix");

    PawlProcess.writeScript(script, "#!/bin/sh -e\ntrue\n");
    assertThat(run("a", "--", script.toString()).code()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "a --",
        "-x a -- true",
        "a -n -w 1s -- true",
        "a -w soon -- true",
        "a --lease 999ms -- true",
        "a --lease 2d -- true",
        "a --limit 0 -- true",
        "a --limit x -- true",
        "a --shared --limit 2 -- true",
        "a --shared --once-per 1m -- true",
        "a --once-per 1m --tick @1 -- true",
        "a --once-per 1ms -- true",
        "a --tick noon -- true",
        "a --tick @-5 -- true",
        "a -E 256 -- true",
        "a --background sometimes -- true",
        "a -c true -- true",
        "a -E 3 --skip-ok -- true",
        "--store nonsense a -- true",
        "--store nonsense:x a -- true",
      })
  void wrongUsageIsOneLineAnd64(String line) {
    Result result = PawlCommand.run(store, ("run " + line).split(" "));
    assertThat(result.code()).as(result.err()).isEqualTo(64);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).startsWith("pawl: ").matches("[^\n]+\n");
    // Durations are read as they are written.
    assertThat(result.err()).doesNotContainPattern("\\bPT[0-9]");
  }

  @Test
  void aNameWithANewlineIsRefused() {
    Result result = run("a\nb", "--", "true");
    assertThat(result.code()).isEqualTo(64);
    assertThat(result.err()).contains("control character").matches("[^\n]+\n");
  }

  @Test
  void aStoreThatIsNotThereIs69AndNeverBusy() {
    Result result = run("--store", "redis://:geheim@127.0.0.1:1", "a", "-n", "--", "true");
    assertThat(result.code()).isEqualTo(69);
    assertThat(result.err()).contains("127.0.0.1:1").doesNotContain("geheim").matches("[^\n]+\n");
  }

  @Test
  void whoIsBusySaysWithWhom() {
    try (PawlProcess holder = commands.startSleeper(store, "holder", "a")) {
      commands.running("holder");
      Result busy = run("a", "-n", "--", "true");
      assertThat(busy.code()).isEqualTo(75);
      assertThat(busy.err())
          .contains("held by sh@", ":" + holder.process().pid(), " for ")
          .matches("[^\n]+\n");
      assertThat(run("a", "-w", "100ms", "-E", "9", "--", "true").code()).isEqualTo(9);
      assertThat(run("a", "-n", "--skip-ok", "-q", "--", "true")).isEqualTo(new Result(0, "", ""));
      assertThat(run("another", "-n", "--", "true").code()).isZero();
      assertThat(run("a", "--shared", "-n", "--", "true").code()).isEqualTo(75);
    }
  }

  @Test
  void sharedRunsTogetherAndLimitCounts() {
    try (PawlProcess reader = commands.startSleeper(store, "reader", "r", "--shared");
        PawlProcess one = commands.startSleeper(store, "one", "s", "--limit", "2")) {
      commands.running("reader");
      commands.running("one");
      assertThat(run("r", "--shared", "-n", "--", "true").code()).isZero();
      assertThat(run("r", "-n", "--", "true").code()).isEqualTo(75);
      try (PawlProcess two = commands.startSleeper(store, "two", "s", "--limit", "2")) {
        commands.running("two");
        assertThat(run("s", "--limit", "2", "-n", "--", "true").code()).isEqualTo(75);
        two.signal("TERM");
        assertThat(two.await().code()).isEqualTo(143);
      }
      assertThat(run("s", "--limit", "2", "-n", "--", "true").code()).isZero();
      assertThat(reader.process().isAlive() && one.process().isAlive()).isTrue();
    }
  }

  private int waiters(String name) {
    try (dev.pawl.Pawl pawl = dev.pawl.Pawl.connect(store)) {
      return pawl.inspector().find(name).map(info -> info.waiters().size()).orElse(0);
    }
  }

  @Test
  void eightHostsInOneSecondRunTheCommandOnce() {
    List<PawlProcess> hosts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      hosts.add(
          commands.start(
              store,
              new String[] {"sms", "--once-per", "7d"},
              "echo $PAWL_TICK >> " + commands.file("sent")));
    }
    List<Integer> codes = hosts.stream().map(host -> host.await().code()).sorted().toList();
    assertThat(commands.lines("sent")).hasSize(1);
    assertThat(codes).containsExactly(0, 75, 75, 75, 75, 75, 75, 75);
  }

  @Test
  void aTickIsDoneOnceAlsoWhenItFails() {
    String[] tick = {"job", "--tick", "2026-11-15T12:00:00+01:00"};
    assertThat(commands.start(store, tick, "exit 4").await().code()).isEqualTo(4);
    Result second = commands.start(store, tick, "exit 0").await();
    assertThat(second.code()).isEqualTo(75);
    assertThat(second.err()).contains("its tick was run, and failed, by sh@");
    String[] next = {"job", "--tick", "2026-11-15T12:01:00+01:00"};
    assertThat(commands.start(store, next, "exit 0").await().code()).isZero();
  }

  @Test
  void aStandbyTakesOverFromADeadHost() {
    String[] tick = {"job", "--tick", "2026-11-15T12:00:00Z", "--lease", "8s"};
    try (PawlProcess runner = commands.startSleeper(store, "runner", tick)) {
      ProcessHandle command = commands.running("runner");
      try (PawlProcess standby =
              commands.start(store, tick, "echo done > " + commands.file("taken"));
          PawlProcess impatient =
              commands.start(
                  store,
                  new String[] {"job", "--tick", "2026-11-15T12:00:00Z", "-w", "100ms"},
                  "true")) {
        Commands.await(() -> waiters("job:job") >= 1);
        Result gaveUp = impatient.await();
        assertThat(gaveUp.code()).isEqualTo(75);
        assertThat(gaveUp.err()).contains("running elsewhere, by sh@");
        runner.signal("KILL");
        assertThat(standby.await().code()).isZero();
        assertThat(commands.lines("taken")).containsExactly("done");
        assertThat(Commands.isRunning(command)).isFalse();
      }
    }
  }
}
