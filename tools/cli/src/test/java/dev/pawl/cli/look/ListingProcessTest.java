package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.RespClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is found among many names, and that looking leaves nothing behind. */
class ListingProcessTest {

  /** More than {@code ls} shows, and than {@code top} used to read. */
  private static final int IDLE = 600;

  @TempDir private static Path directory;
  private static RedisServer redis;
  private static int databases;

  /** A lease that nobody refers to is not renewed. */
  private final List<Lease> kept = new ArrayList<>();

  @AfterEach
  void closeLeases() {
    kept.forEach(Lease::close);
  }

  @BeforeAll
  static void startRedis() {
    redis = RedisServer.start("--databases", "32");
  }

  @AfterAll
  static void stopRedis() {
    redis.close();
  }

  /** A new store of each kind. */
  static Stream<String> stores() {
    databases++;
    return Stream.of(
        "sqlite:" + directory.resolve("locks-" + databases + ".db"),
        redis.url() + "/" + databases + "?timeout=30s");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void whatIsHeldIsFoundBehindIdleNames(String store) throws Exception {
    try (Pawl holder = node(store, "api@web-1:4711")) {
      for (int i = 0; i < IDLE; i++) {
        // The tick of a job is remembered on every store, and so is its name.
        holder.job("idle-%03d".formatted(i)).run(Instant.EPOCH, run -> "done");
      }
      kept.add(holder.lock("zzz").acquire());

      assertThat(PawlProcess.run(store, "ls", "-q")).isEqualTo(new Result(0, "zzz\n", ""));
      assertThat(PawlCommand.run(store, "ls").out()).contains("zzz", "api@web-1:4711");
      Result top = PawlCommand.run(store, "top");
      assertThat(top.out()).contains("1 held", "zzz").doesNotContain("nobody holds");

      Result all = PawlCommand.run(store, "ls", "-q", "--all", "--limit", "3");
      assertThat(all.out().lines()).containsExactly("zzz", "job:idle-000", "job:idle-001");
      assertThat(all.err()).contains("more than these 3 names");
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void locksAreChosenByHostAndLabelAndSorted(String store) throws Exception {
    try (Pawl one = node(store, "api@web-1:4711");
        Pawl ten = node(store, "api@web-10:802");
        Pawl batch = node(store, "batch@web-1:99")) {
      kept.add(one.lock("c").acquire());
      awaitLaterMoment(one);
      kept.add(ten.lock("b").acquire());
      awaitLaterMoment(one);
      kept.add(batch.lock("a").acquire());
      var waiting = batch.lock("b").acquireAsync(Duration.ofMinutes(2));
      await(() -> !one.inspector().find("b").orElseThrow().waiters().isEmpty());

      awaitNames(List.of("a", "b", "c"), store, "--host", "web-1");
      assertThat(names(store, "--host", "web-10")).containsExactly("b");
      awaitNames(List.of("a", "b"), store, "--label", "batch");
      assertThat(names(store, "--host", "web")).isEmpty();
      assertThat(names(store, "--sort", "held")).containsExactly("c", "b", "a");
      awaitNames(List.of("b"), store, "--sort", "waiting", "--limit", "1");
      assertThat(names(store, "--held", "b")).containsExactly("b");
      waiting.cancel(true);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void whoeverWatchesSeesWhatChanges(String store) throws Exception {
    try (Pawl holder = node(store, "holder")) {
      Lease lease = holder.lock("watched").acquire();
      try (PawlProcess watching = PawlProcess.start(store, "ls", "--watch=100ms", "--json")) {
        watching.awaitText("\"name\":\"watched\"");
        lease.close();
        watching.awaitText("\"locks\":[]");
        assertThat(watching.process().isAlive()).isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void theTokenThatIsShownIsTheOneToReleaseWith(String store) throws Exception {
    try (Pawl holder = node(store, "holder")) {
      Lease lease = holder.lock("n").acquire();
      JsonObject shown = json(PawlCommand.run(store, "show", "--json", "n"));
      assertThat(shown.get("token").getAsLong()).isEqualTo(lease.token());

      Result released =
          PawlProcess.run(
              store, "release", "n", "-y", "-r", "gone", "--json", "-t", "" + shown.get("token"));
      assertThat(released.code()).as(released.err()).isZero();
      JsonObject object = json(released);
      assertThat(object.get("released").getAsString()).isEqualTo("n");
      assertThat(object.getAsJsonObject("holder").get("label").getAsString()).isEqualTo("holder");

      Result journal = PawlCommand.run(store, "journal");
      assertThat(journal.out()).contains("forced release", "n", "reason=gone");
      JsonObject entries = json(PawlProcess.run(store, "journal", "--json", "n"));
      assertThat(entries.getAsJsonArray("entries").toString()).contains("\"name\":\"n\"");
      assertThat(PawlCommand.run(store, "journal", "other").err()).contains("empty");
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void theLongestNamesAreShown(String store) throws Exception {
    String name = "x".repeat(255);
    try (Pawl holder = node(store, "holder")) {
      kept.add(holder.lock(name).acquire());
      assertThat(PawlProcess.run(store, "show", name).code()).isZero();
      assertThat(PawlCommand.run(store, "show", "y".repeat(252)))
          .satisfies(shown -> assertThat(shown.code()).as(shown.err()).isZero());
    }
  }

  @Test
  void lookingCreatesNothing() throws Exception {
    Path empty = Files.createDirectory(directory.resolve("empty"));
    String file = "sqlite:" + empty.resolve("locks.db");
    String database = redis.url() + "/31?timeout=30s";
    for (String store : new String[] {file, database}) {
      for (String command :
          new String[] {"ls", "ls --all", "show x", "jobs", "journal", "top", "doctor", "wait x"}) {
        // Whatever is created at the end of a process would be in the file.
        Result result =
            store.equals(file)
                ? PawlProcess.run(store, command.split(" "))
                : PawlCommand.run(store, command.split(" "));
        assertThat(result.code()).as(command + result.err() + result.out()).isZero();
      }
      Result release = PawlCommand.run(store, "release", "x", "-y", "-t", "1", "-r", "none");
      assertThat(release.code()).as(release.err()).isEqualTo(75);
    }
    assertThat(PawlCommand.run(file, "ls").err()).contains("is not there yet").hasLineCount(1);
    try (var files = Files.list(empty)) {
      assertThat(files).isEmpty();
    }
    try (var client = new RespClient(redis.port())) {
      client.call("SELECT", "31");
      assertThat(client.call("DBSIZE")).isEqualTo(0L);
    }
  }

  private static String[] names(String store, String... options) {
    Result result =
        PawlCommand.run(
            store, Stream.concat(Stream.of("ls", "-q"), Stream.of(options)).toArray(String[]::new));
    assertThat(result.code()).as(result.err()).isZero();
    return result.out().lines().toArray(String[]::new);
  }

  /** A waiter whose node stood still for a second or two is not there until it asks again. */
  private static void awaitNames(List<String> expected, String store, String... options) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    List<String> names = List.of(names(store, options));
    while (!names.equals(expected) && System.nanoTime() < end) {
      names = List.of(names(store, options));
    }
    assertThat(names).isEqualTo(expected);
  }

  /** SQLite's clock has milliseconds. */
  private static void awaitLaterMoment(Pawl node) {
    long start = micros(node);
    await(() -> micros(node) >= start + 2_000);
  }

  private static long micros(Pawl node) {
    return ((LockStore) node.store()).nowMicros().toCompletableFuture().join();
  }

  private static void await(java.util.function.BooleanSupplier state) {
    while (!state.getAsBoolean()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private static Pawl node(String store, String label) {
    return Pawl.builder(store).label(label).responseTimeout(Duration.ofSeconds(30)).build();
  }

  private static JsonObject json(Result result) {
    assertThat(result.code()).as(result.err()).isZero();
    return JsonParser.parseString(result.out()).getAsJsonObject();
  }

  @Test
  void bashCompletesNames() throws Exception {
    String store = "sqlite:" + directory.resolve("completed.db");
    try (Pawl holder = node(store, "holder")) {
      kept.add(holder.lock("invoice:42").acquire());
      kept.add(holder.lock("invoice:43").acquire());
      kept.add(holder.lock("other").acquire());
      String line =
          """
          source <("$PAWL" completion bash)
          compopt() { :; } # Refuses to run outside a real completion.
          try() {
            COMP_LINE=$1 COMP_POINT=${#1} COMPREPLY=()
            read -ra COMP_WORDS <<<"$1"; [[ $1 != *' ' ]] || COMP_WORDS+=('')
            COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
            _pawl_names
            echo "${COMPREPLY[*]}"
          }
          try "$PAWL show oth"
          try "$PAWL show invoice:"
          try "$PAWL release "
          try "$PAWL run other "
          try "$PAWL show --store $PAWL_STORE inv"
          """;
      try (PawlProcess bash = PawlProcess.startBash(Map.of("PAWL_STORE", store), line)) {
        Result result = bash.await();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines().toList())
            .containsExactly(
                "other", "42 43", "invoice:42 invoice:43 other", "", "invoice:42 invoice:43");
      }
    }
  }
}
