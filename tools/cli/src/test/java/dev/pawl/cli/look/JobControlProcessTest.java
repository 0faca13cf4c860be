package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Hosts, each a process, and an operator who steps in: pause, resume and rerun; eight hosts with
 * {@code -Dpawl.long=true}.
 */
class JobControlProcessTest {

  private static final int HOSTS = Boolean.getBoolean("pawl.long") ? 8 : 4;

  private final Instant tick = Instant.now().truncatedTo(ChronoUnit.HOURS);
  private final Instant before = tick.minus(1, ChronoUnit.HOURS);

  @TempDir private static Path directory;
  private static RedisServer redis;
  private static int databases;

  @BeforeAll
  static void startRedis() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  static Stream<String> stores() {
    databases++;
    return Stream.of(
        "sqlite:" + directory.resolve("control-" + databases + ".db"),
        redis.url() + "/" + databases + "?timeout=30s");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void everyHostObeysAPauseUntilItIsResumed(String store) throws IOException {
    Path runs = Files.createTempFile(directory, "runs", "");
    assertThat(run(store, before, runs).code()).isZero();

    Result paused =
        PawlProcess.run(store, "jobs", "pause", "sms", "--reason", "the provider is down");
    assertThat(paused.code()).as(paused.err()).isZero();
    assertThat(paused.out()).isEqualTo("paused sms\n");

    for (Result each : everyHost(store, runs)) {
      assertThat(each.code()).isEqualTo(75);
      assertThat(each.err()).contains("paused by ", "the provider is down").hasLineCount(1);
    }
    assertThat(Files.readAllLines(runs)).hasSize(1);
    assertThat(PawlCommand.run(store, "jobs").out())
        .contains("OPERATORS", "paused by ", "the provider is down", before.toString());
    JsonObject job = job(store);
    assertThat(job.getAsJsonObject("paused").get("reason").getAsString())
        .isEqualTo("the provider is down");
    assertThat(job.getAsJsonObject("paused").get("by").getAsString()).contains("@");
    Result again = PawlCommand.run(store, "jobs", "pause", "sms", "--why", "me too");
    assertThat(again.code()).isEqualTo(75);
    assertThat(again.err()).contains("paused already, by ", "the provider is down");

    assertThat(PawlProcess.run(store, "jobs", "resume", "sms").out()).isEqualTo("resumed sms\n");

    assertThat(everyHost(store, runs)).filteredOn(each -> each.code() == 0).hasSize(1);
    assertThat(Files.readAllLines(runs)).hasSize(2);
    Result notPaused = PawlCommand.run(store, "jobs", "resume", "sms");
    assertThat(notPaused.code()).isEqualTo(75);
    assertThat(notPaused.err()).contains("not paused");
    assertThat(PawlCommand.run(store, "jobs").out()).doesNotContain("OPERATORS");
    assertThat(PawlCommand.run(store, "journal", "job:sms").out())
        .contains("job paused", "job resumed", "reason=the provider is down");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aTickThatMayRunAgainDoesSoOnceThoughTheFirstWhoTriesIsKilled(String store)
      throws IOException {
    Path runs = Files.createTempFile(directory, "runs", "");
    assertThat(run(store, tick, runs).code()).isZero();
    Result early = rerun(store, tick.plus(1, ChronoUnit.HOURS), "--reason", "too early");
    assertThat(early.code()).isEqualTo(75);
    assertThat(early.err()).contains("is not done", tick.toString());
    assertThat(rerun(store, tick).code()).as("without a reason").isEqualTo(64);

    Result permitted = rerun(store, tick, "--reason", "it sent nothing");
    assertThat(permitted.code()).as(permitted.err()).isZero();
    assertThat(permitted.out()).contains("may run once more", "pawl run sms --tick " + tick);
    assertThat(rerun(store, tick, "--reason", "twice").err()).contains("may run again already");
    assertThat(PawlCommand.run(store, "jobs").out()).contains("may run again: " + tick);
    assertThat(run(store, before, runs).code()).as("an earlier tick").isEqualTo(75);

    List<Result> hosts;
    try (PawlProcess killed =
        PawlProcess.start(
            store,
            "run",
            "sms",
            "--tick",
            tick.toString(),
            "--lease",
            "7s",
            "--",
            "sh",
            "-c",
            "echo begun; exec sleep 300")) {
      killed.awaitText("begun");
      List<PawlProcess> others = startEveryHost(store, runs);
      killed.signal("KILL");
      hosts = awaitAll(others);
    }

    assertThat(hosts).filteredOn(each -> each.code() == 0).hasSize(1);
    assertThat(hosts).filteredOn(each -> each.code() == 75).hasSize(HOSTS - 1);
    assertThat(Files.readAllLines(runs)).hasSize(2);
    assertThat(job(store).getAsJsonArray("reruns")).isEmpty();
    assertThat(job(store).get("tick").getAsString()).isEqualTo(tick.toString());
    assertThat(run(store, tick, runs).code()).isEqualTo(75);
    assertThat(rerun(store, tick, "--withdraw").code()).as("nothing to withdraw").isEqualTo(75);
    assertThat(PawlCommand.run(store, "show", "job:sms").out())
        .contains("job rerun", "reason=it sent nothing", "tick=" + tick);
  }

  @Test
  void aRefusedTickLeavesNoEmptyJob() {
    String store = "sqlite:" + directory.resolve("refused.db");
    assertThat(
            PawlProcess.run(
                    store, "run", "sms", "--tick", "2126-11-15T12:00:00Z", "--", "echo", "never")
                .code())
        .isEqualTo(64);

    assertThat(PawlCommand.run(store, "ls", "--all", "--quiet").out())
        .as("the store has not forgotten the name")
        .contains("job:sms");
    assertThat(PawlCommand.run(store, "jobs").err()).contains("knows no job");
    assertThat(PawlCommand.run(store, "jobs", "--quiet").out()).isEmpty();
  }

  @Test
  void aStoreWithoutJobsRefusesAndSaysWhy() {
    try (RedisServer one = RedisServer.start();
        RedisServer two = RedisServer.start()) {
      String store =
          "redlock://127.0.0.1:%d,127.0.0.1:%d,127.0.0.1:%d"
              .formatted(redis.port(), one.port(), two.port());
      for (String[] command :
          List.of(
              new String[] {"jobs", "pause", "sms", "--reason", "why"},
              new String[] {"jobs", "resume", "sms"},
              new String[] {"jobs", "rerun", "sms", tick.toString(), "--reason", "why"})) {
        Result refused = PawlCommand.run(store, command);
        assertThat(refused.code()).as(refused.err()).isEqualTo(64);
        assertThat(refused.err()).contains("redlock://", "cannot do ").hasLineCount(1);
      }
    }
  }

  private List<Result> everyHost(String store, Path runs) {
    return awaitAll(startEveryHost(store, runs));
  }

  private List<PawlProcess> startEveryHost(String store, Path runs) {
    List<PawlProcess> hosts = new ArrayList<>();
    for (int i = 0; i < HOSTS; i++) {
      hosts.add(
          PawlProcess.start(
              store,
              "run",
              "sms",
              "--tick",
              tick.toString(),
              "--",
              "sh",
              "-c",
              "echo run >> " + runs));
    }
    return hosts;
  }

  private static List<Result> awaitAll(List<PawlProcess> hosts) {
    try {
      return hosts.stream().map(PawlProcess::await).toList();
    } finally {
      hosts.forEach(PawlProcess::close);
    }
  }

  private static Result run(String store, Instant tick, Path runs) {
    return PawlProcess.run(
        store, "run", "sms", "--tick", tick.toString(), "--", "sh", "-c", "echo run >> " + runs);
  }

  private static Result rerun(String store, Instant tick, String... options) {
    return PawlCommand.run(
        store,
        Stream.concat(Stream.of("jobs", "rerun", "sms", tick.toString()), Stream.of(options))
            .toArray(String[]::new));
  }

  private static JsonObject job(String store) {
    return JsonParser.parseString(PawlCommand.run(store, "jobs", "--json").out())
        .getAsJsonObject()
        .getAsJsonArray("jobs")
        .get(0)
        .getAsJsonObject();
  }
}
