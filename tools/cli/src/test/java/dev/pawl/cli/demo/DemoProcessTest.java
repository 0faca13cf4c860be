package dev.pawl.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlProcess;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Plays the demo; {@code -Dpawl.demo.times=10} plays it ten times. */
@Execution(ExecutionMode.CONCURRENT)
class DemoProcessTest {

  @TempDir Path temporary;

  static IntStream times() {
    return IntStream.rangeClosed(1, Integer.getInteger("pawl.demo.times", 1));
  }

  @ParameterizedTest
  @MethodSource("times")
  void theCountsAreRightAndNothingIsLeft(int time) throws IOException {
    PawlProcess.Result result = demo();
    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out())
        .containsPattern("1 no lock, 12 reminders +96 +96 +yes")
        .containsPattern("2 with Pawl, 12 reminders +12 +12 +yes")
        .containsPattern("3 killed while sending, (\\d+) reminders +\\1 +\\1 +yes")
        .containsPattern("4 stalled past its lease, (\\d+) reminders +\\1 +\\1 +yes")
        .containsPattern("stale messages refused +1 +1 +yes")
        .contains("takes over after")
        .doesNotContain("\u001b");
    assertThat(leftovers()).isEmpty();
  }

  @Test
  void onRedisTooWithItsUrlHiddenFromOtherUsers() throws Exception {
    try (RedisServer redis = RedisServer.start();
        PawlProcess pawl =
            start("--json", "--nodes", "3", "--store", redis.url() + "?timeout=30s")) {
      await(() -> pawl.process().descendants().count() == 3 || !pawl.process().isAlive());
      assertThat(pawl.process().isAlive()).as(pawl::soFar).isTrue();
      assertThat(pawl.process().descendants().map(DemoProcessTest::arguments))
          .hasSize(3)
          .noneMatch(arguments -> arguments.contains(redis.url()));
      PawlProcess.Result result = pawl.await();
      assertThat(result.code()).as("%s", result).isZero();
      assertThat(result.out()).startsWith("{\"ok\":true,").hasLineCount(1);
      try (Pawl node = Pawl.connect(redis.url())) {
        assertThat(node.inspector().list("", 10))
            .as("held or waited for")
            .allMatch(info -> info.holders().isEmpty() && info.waiters().isEmpty());
      }
    }
  }

  @Test
  void onPostgresTwiceInARow() {
    try (PostgresServer postgres = PostgresServer.start()) {
      for (int i = 0; i < 2; i++) {
        PawlProcess.Result result =
            demo("--nodes", "2", "--store", postgres.url() + "&pawl.timeout=30s");
        assertThat(result.code()).as("%s", result).isZero();
      }
    }
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = "takes minutes")
  void theStoreIsKilledAndComesBackAndTheCountsAreRight() throws IOException {
    PawlProcess.Result result = demo("--degrade");
    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out())
        .containsPattern("2 the primary is killed, 6 reminders +6 +6 +yes")
        .containsPattern("4 the primary is back, 6 reminders +6 +6 +yes")
        .containsPattern("5 on the primary again, 6 reminders +6 +6 +yes")
        .containsPattern("tokens that went back +0 +0 +yes")
        .contains("the mode is backup after", "the mode is primary after");
    assertThat(leftovers()).isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = "pawl.long", matches = "true", disabledReason = "takes minutes")
  void theServerOfADegradingDemoDoesNotOutliveIt() {
    try (PawlProcess pawl = start("--degrade", "--nodes", "2")) {
      pawl.awaitText("Act 1.");
      List<ProcessHandle> children = pawl.process().descendants().toList();
      assertThat(children).hasSizeGreaterThan(2);
      pawl.signal("KILL");
      await(() -> children.stream().noneMatch(DemoProcessTest::isRunning));
    }
  }

  @Test
  void withoutTheLockItCountsTooManyAndSaysSo() {
    PawlProcess.Result result = demo("--unlocked", "--nodes", "2");
    assertThat(result.code()).isEqualTo(1);
    assertThat(result.out()).containsPattern("2 with Pawl, 12 reminders +12 +24 +NO");
    assertThat(result.err()).contains("not those that should have been");
  }

  @ParameterizedTest
  @CsvSource({"INT, 130", "TERM, 143"})
  void aSignalLeavesNoProcessAndNoFileEvenWhileANodeIsStopped(String signal, int code)
      throws Exception {
    try (PawlProcess pawl = start("--nodes", "2")) {
      List<ProcessHandle> nodes = awaitAStoppedNode(pawl);
      pawl.assumeHeeds(signal);
      pawl.signal(signal);
      PawlProcess.Result result = pawl.await();
      assertThat(result.code()).isEqualTo(code);
      assertThat(nodes).noneMatch(DemoProcessTest::isRunning);
      assertThat(leftovers()).isEmpty();
      assertThat(result.err()).doesNotContain("pawl:");
    }
  }

  @Test
  void noNodeOutlivesADemoThatIsKilledEvenWhileItIsStopped() {
    try (PawlProcess pawl = start("--nodes", "2")) {
      List<ProcessHandle> nodes = awaitAStoppedNode(pawl);
      pawl.signal("KILL");
      await(() -> nodes.stream().noneMatch(DemoProcessTest::isRunning));
    }
  }

  @Test
  void aSecondDemoOnTheSameStoreIsToldWhoPlaysTheFirst() throws Exception {
    String store = "sqlite:" + temporary.resolve("locks.db");
    try (Pawl other = Pawl.builder(store).label("the-other-demo").build();
        Lease lease = other.lock(Story.NAME).acquire()) {
      PawlProcess.Result result = demo("--store", store);
      assertThat(result.code()).isEqualTo(75);
      assertThat(result.err()).contains("the-other-demo");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void badInputIsOneLine() {
    assertThat(demo("--nodes", "1").code()).isEqualTo(64);
    assertThat(demo("--store", "memory:").code()).isEqualTo(64);
    assertThat(demo("--degrade", "--store", "sqlite:x.db").code()).isEqualTo(64);
    PawlProcess.Result away = demo("--store", "redis://localhost:1");
    assertThat(away.code()).as("%s", away).isEqualTo(69);
  }

  private PawlProcess.Result demo(String... options) {
    try (PawlProcess pawl = start(options)) {
      return pawl.await();
    }
  }

  private PawlProcess start(String... options) {
    String[] arguments = new String[options.length + 1];
    arguments[0] = "demo";
    System.arraycopy(options, 0, arguments, 1, options.length);
    return PawlProcess.start(
        Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary), arguments);
  }

  private List<Path> leftovers() throws IOException {
    try (var files = Files.list(temporary)) {
      return files.toList();
    }
  }

  /** Returns the nodes when one of them is stopped, in the last act. */
  private static List<ProcessHandle> awaitAStoppedNode(PawlProcess pawl) {
    await(
        () ->
            !pawl.process().isAlive()
                || pawl.process()
                    .descendants()
                    .anyMatch(
                        node -> state(node).filter(state -> state.startsWith("T")).isPresent()));
    assertThat(pawl.process().isAlive()).as(pawl::soFar).isTrue();
    return pawl.process().descendants().filter(DemoProcessTest::isRunning).toList();
  }

  private static boolean isRunning(ProcessHandle process) {
    return state(process).filter(state -> !state.startsWith("Z")).isPresent();
  }

  /**
   * Returns {@code T} and more for one that is stopped; empty if there is no such process. Without
   * a process of its own for each look: on a busy machine one is stopped for no longer than a few.
   */
  private static Optional<String> state(ProcessHandle process) {
    try {
      String stat = Files.readString(Path.of("/proc/" + process.pid() + "/stat"));
      return Optional.of(stat.substring(stat.lastIndexOf(')') + 2));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String arguments(ProcessHandle process) {
    try {
      Process ps =
          new ProcessBuilder("ps", "-o", "args=", "-p", Long.toString(process.pid())).start();
      return new String(ps.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    long start = System.nanoTime();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime() - start).as("waited").isLessThan(TimeUnit.MINUTES.toNanos(3));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }
}
