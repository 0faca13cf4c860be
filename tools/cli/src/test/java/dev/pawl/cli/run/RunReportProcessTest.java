package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code pawl run} and {@code pawl wait} say to programs, and text for the shell. */
class RunReportProcessTest {

  @TempDir Path directory;
  private String store;

  @BeforeEach
  void setUp() {
    store = "sqlite:" + directory.resolve("locks.db");
  }

  private static JsonObject lastLine(String text) {
    return JsonParser.parseString(text.lines().reduce("", (first, second) -> second))
        .getAsJsonObject();
  }

  @Test
  void aReportThatCannotBeWrittenIsAnOutputThatCannotBe() {
    Result result = PawlProcess.run(store, "run", "a", "--report", "/dev/full", "--", "echo", "x");
    assertThat(result.code()).as(result.err()).isEqualTo(74);
    assertThat(result.out()).isEqualTo("x\n");
    assertThat(result.err()).matches("pawl: cannot write the report to /dev/full: No space.*\n");
  }

  @Test
  void aCommandThatIsNotThereIsReportedToo() throws Exception {
    Path file = directory.resolve("report.json");
    String report = file.toString();
    assertThat(PawlCommand.run(store, "run", "a", "--report", report, "--", "true").code())
        .isZero();
    Result missing =
        PawlCommand.run(store, "run", "a", "--report", report, "--json", "--", "no-such-command");
    assertThat(missing.code()).isEqualTo(127);
    for (String line : List.of(missing.err(), Files.readString(file))) {
      JsonObject said = lastLine(line);
      assertThat(said.get("outcome").getAsString()).isEqualTo("error");
      assertThat(said.get("exitCode").getAsInt()).isEqualTo(127);
      assertThat(said.get("reason").getAsString()).contains("no-such-command");
    }
    Result refused =
        PawlCommand.run(store, "run", "a", "--report", report, "--lease", "1ms", "--", "true");
    assertThat(refused.code()).isEqualTo(64);
    assertThat(lastLine(Files.readString(file)).get("exitCode").getAsInt()).isEqualTo(64);
  }

  @Test
  void textIsRunByTheShell() {
    Result result = PawlProcess.run(store, "run", "a", "-c", "echo $PAWL_NAME | tr a b; exit 3");
    assertThat(result).isEqualTo(new Result(3, "b\n", ""));
  }

  @Test
  void aRunIsReportedInTheLastLineOfTheErrorOutput() {
    Result result =
        PawlProcess.run(store, "run", "a", "--json", "-c", "echo out; echo err >&2; exit 3");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.out()).isEqualTo("out\n");
    assertThat(result.err()).startsWith("err\n{");
    JsonObject report = lastLine(result.err());
    assertThat(report.get("name").getAsString()).isEqualTo("a");
    assertThat(report.get("outcome").getAsString()).isEqualTo("ran");
    assertThat(report.get("exitCode").getAsInt()).isEqualTo(3);
    assertThat(report.get("signal").isJsonNull()).isTrue();
    assertThat(report.get("token").getAsLong()).isPositive();
    assertThat(report.get("node").getAsString()).startsWith("sh@");
    assertThat(report.get("waitedSeconds").getAsDouble()).isNotNegative();
    assertThat(report.get("ranSeconds").getAsDouble()).isNotNegative();
    assertThat(report.get("reason").isJsonNull()).isTrue();
  }

  @Test
  void aSignalThatEndedTheCommandIsReported() {
    JsonObject report =
        lastLine(PawlProcess.run(store, "run", "a", "--json", "-c", "kill -KILL $$").err());
    assertThat(report.get("exitCode").getAsInt()).isEqualTo(137);
    assertThat(report.get("signal").getAsInt()).isEqualTo(9);
  }

  @Test
  void whatWasNotRunIsReportedWithTheReason() throws Exception {
    try (Pawl holder = Pawl.connect(store);
        Lease lease = holder.lock("a").acquire()) {
      Result result = PawlProcess.run(store, "run", "a", "-n", "--json", "--skip-ok", "--", "true");
      assertThat(result.code()).isZero();
      assertThat(result.err()).matches("[^\n]+\n");
      JsonObject report = lastLine(result.err());
      assertThat(report.get("outcome").getAsString()).isEqualTo("skipped");
      assertThat(report.get("exitCode").getAsInt()).isZero();
      assertThat(report.get("reason").getAsString()).contains("is held by");
      assertThat(report.get("token").isJsonNull()).isTrue();

      JsonObject waited =
          lastLine(PawlProcess.run(store, "wait", "a", "--json", "-w", "10ms").out());
      assertThat(waited.get("state").getAsString()).isEqualTo("held");
      assertThat(waited.get("holders").getAsJsonArray()).hasSize(1);
      assertThat(waited.get("waitedSeconds").getAsDouble()).isPositive();
      assertThat(lease.isHeld()).isTrue();
    }
    Result free = PawlProcess.run(store, "wait", "a", "--json");
    assertThat(free.code()).isZero();
    assertThat(lastLine(free.out()).get("state").getAsString()).isEqualTo("free");
  }

  @Test
  void anOutageIsReportedAsAnErrorAndNeverAsBusy() {
    Result result =
        PawlProcess.run("redis://127.0.0.1:1", "run", "a", "-n", "--json", "--", "true");
    assertThat(result.code()).isEqualTo(69);
    assertThat(result.err()).matches("[^\n]+\n");
    JsonObject report = lastLine(result.err());
    assertThat(report.get("outcome").getAsString()).isEqualTo("error");
    assertThat(report.get("exitCode").getAsInt()).isEqualTo(69);
    assertThat(report.get("reason").getAsString()).contains("127.0.0.1:1");
  }

  @Test
  void theReportGoesToAFileWhereOneIsNamed() throws Exception {
    Path file = directory.resolve("report");
    Result result =
        PawlProcess.run(
            store, "run", "a", "--report", file.toString(), "--tick", "@1", "--", "true");
    assertThat(result).isEqualTo(new Result(0, "", ""));
    assertThat(lastLine(Files.readString(file)).get("tick").getAsString())
        .isEqualTo("1970-01-01T00:00:01Z");

    try (PawlProcess bash =
        PawlProcess.startBash(
            Map.of("PAWL_STORE", store), "\"$PAWL\" run a --report /dev/fd/3 -- true 3>&1 | cat")) {
      assertThat(lastLine(bash.await().out()).get("outcome").getAsString()).isEqualTo("ran");
    }
  }

  @Test
  void aReportThatCannotBeWrittenIsFoundOutBeforeTheCommandRuns() {
    Result result =
        PawlProcess.run(
            store,
            "run",
            "a",
            "--report",
            directory.resolve("no/report").toString(),
            "-c",
            "echo x");
    assertThat(result.code()).isEqualTo(64);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("no/report").matches("pawl: [^\n]+\n");
  }
}
