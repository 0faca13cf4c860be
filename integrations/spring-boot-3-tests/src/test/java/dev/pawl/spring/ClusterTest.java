package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.testservers.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The same application on several servers, and one run for each tick. Eight of them, which have
 * nothing but the starter, are in {@code examples/spring-boot-scheduled}.
 */
@Tag("safety")
@NewestBoot
class ClusterTest {

  private static final Path FAKETIME =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

  @TempDir Path directory;
  private final List<AppProcess> nodes = new ArrayList<>();

  record Run(String what, String tick, long pid) {
    static Run of(String line) {
      String[] words = line.split(" ");
      return new Run(words[0], words[1], Long.parseLong(words[2]));
    }
  }

  private AppProcess start(Map<String, String> environment, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--app.directory=" + directory);
    AppProcess node =
        AppProcess.start(
            ClusterNode.class,
            directory.resolve("log" + nodes.size()),
            environment,
            all.toArray(String[]::new));
    nodes.add(node);
    return node;
  }

  @AfterEach
  void end() {
    nodes.forEach(AppProcess::close);
  }

  private List<Run> runs() {
    Path file = directory.resolve("runs");
    try {
      return Files.exists(file)
          ? Files.readAllLines(file).stream().map(Run::of).toList()
          : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Run> runs(String what) {
    return runs().stream().filter(run -> run.what().equals(what)).toList();
  }

  private void awaitRuns(String what, int count) {
    AppProcess.await(
        () -> runs(what).size() >= count,
        () -> "only " + runs() + "\n" + nodes.stream().map(AppProcess::output).toList());
  }

  @Test
  void ofThreeServersOneRunsEachTickAndAnotherTakesOverWhenItIsKilled() throws Exception {
    for (int i = 0; i < 3; i++) {
      start(
          Map.of(),
          "--spring.datasource.url=jdbc:sqlite:" + directory.resolve("app.db"),
          "--spring.datasource.hikari.maximum-pool-size=3",
          "--pawl.defaults.lease=6s",
          "--app.cron=*/2 * * * * *");
    }
    nodes.forEach(node -> node.awaitOutput("started"));
    int before = runs("end").size();
    awaitRuns("end", before + 3);

    Files.createFile(directory.resolve("hang"));
    AppProcess.await(() -> !Files.exists(directory.resolve("hang")), () -> "nobody ran");
    Run hanging = runs("begin").get(runs("begin").size() - 1);
    nodes.stream().filter(node -> node.pid() == hanging.pid()).findFirst().orElseThrow().kill();
    int then = runs("end").size();
    awaitRuns("end", then + 3);

    List<Run> taken = runs("end").subList(then, then + 3);
    assertThat(taken).noneMatch(run -> run.pid() == hanging.pid());
    // Its tick, or the one that was due when it was dead, in the first run after it.
    assertThat(taken.get(0).tick()).isGreaterThanOrEqualTo(hanging.tick());
    assertThat(runs("end")).extracting(Run::tick).doesNotHaveDuplicates();
    assertThat(runs("begin").stream().filter(run -> !run.equals(hanging)))
        .extracting(Run::tick)
        .doesNotHaveDuplicates();
  }

  @Test
  void aNodeWhoseClockIsTwoMinutesOffRunsNothingTwice() throws Exception {
    assumeTrue(Files.exists(FAKETIME), "there is no libfaketime");
    try (RedisServer redis = RedisServer.start()) {
      String[] arguments = {
        "--pawl.store=" + redis.url() + "?timeout=20s",
        "--spring.datasource.url=jdbc:sqlite::memory:",
        "--logging.level.dev.pawl.spring=debug",
        "--app.cron=*/2 * * * * *"
      };
      AppProcess right = start(Map.of(), arguments);
      awaitRuns("end", 1);
      AppProcess late = start(clock("-120s"), arguments);
      late.awaitOutput("outcome=AlreadyDone");
      AppProcess ahead = start(clock("+120s"), arguments);
      AppProcess.await(
          () -> runs("end").stream().filter(run -> run.pid() == ahead.pid()).count() >= 4,
          () -> runs() + "\n" + ahead.output());
      // What the wrong clock costs: the ticks until then count as done, and the others say so.
      right.awaitOutput("ahead of the store's clock");

      List<Run> begun = runs("begin");
      assertThat(begun).extracting(Run::tick).doesNotHaveDuplicates().isSorted();
      assertThat(begun).extracting(Run::pid).contains(right.pid()).doesNotContain(late.pid());
    }
  }

  /**
   * The time of day is faked, and nothing else: with the fix that libfaketime switches on by
   * itself, every timed wait of the JVM returns at once, and the process is busy with waiting.
   */
  private static Map<String, String> clock(String offset) {
    return Map.of(
        "LD_PRELOAD",
        FAKETIME.toString(),
        "FAKETIME",
        offset,
        "FAKETIME_DONT_FAKE_MONOTONIC",
        "1",
        "FAKETIME_FORCE_MONOTONIC_FIX",
        "0");
  }
}
