package dev.pawl.cli.look;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.PawlCommand;
import dev.pawl.cli.PawlProcess;
import dev.pawl.cli.PawlProcess.Result;
import dev.pawl.testservers.RedisServer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The commands that look, on an embedded store and on a server; each as a process, too. */
class LookProcessTest {

  private static final String ODD = "- odd 名前 😀";

  @TempDir private static Path directory;
  private static RedisServer redis;
  private static int databases;

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
  void theNamesInUseAreListed(String store) throws Exception {
    try (Pawl holder = node(store, "holder");
        Pawl waiter = node(store, "waiter");
        Lease lease = holder.lock("invoice:42").acquire();
        Lease odd = holder.lock(ODD).acquire()) {
      var waiting = waiter.lock("invoice:42").acquireAsync(Duration.ofMinutes(2));
      awaitWaiter(holder, "invoice:42");

      Result people = PawlProcess.run(store, "ls");
      assertThat(people.code()).as(people.err()).isZero();
      assertThat(people.out()).contains("NAME", "HOLDER", "invoice:42", "holder", ODD);
      assertThat(people.out()).contains(Long.toString(lease.token()), "ago");
      assertThat(people.out()).doesNotContain("\u001b");

      String[] line = {"ls", "--json", "inv"};
      JsonObject programs = json(untilItShows("\"waiter\"", () -> PawlCommand.run(store, line)));
      assertThat(programs.get("more").getAsBoolean()).isFalse();
      assertThat(programs.getAsJsonArray("locks")).hasSize(1);
      JsonObject lock = programs.getAsJsonArray("locks").get(0).getAsJsonObject();
      assertHeldAndWaitedFor(lock, lease);

      Result scripts = PawlCommand.run(store, "ls", "--quiet");
      assertThat(scripts.out().lines()).containsExactly(ODD, "invoice:42");

      Result some = PawlCommand.run(store, "ls", "--quiet", "--limit", "1");
      assertThat(some.out().lines()).containsExactly(ODD);
      assertThat(some.err()).contains("more than these 1 names", "--limit");
      waiting.cancel(true);
    }
    Result none = PawlCommand.run(store, "ls", "no-such:");
    assertThat(none)
        .isEqualTo(
            new Result(0, "", "pawl: no name that begins so is in use; --all shows idle names\n"));
  }

  /** A waiter whose node stood still for a second or two is not there until it asks again. */
  private static Result untilItShows(String waiter, Supplier<Result> look) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    Result result = look.get();
    while (!result.out().contains(waiter) && System.nanoTime() < end) {
      result = look.get();
    }
    assertThat(result.out()).contains(waiter);
    return result;
  }

  private static void assertHeldAndWaitedFor(JsonObject lock, Lease lease) {
    assertThat(lock.get("name").getAsString()).isEqualTo(lease.name());
    assertThat(lock.get("state").getAsString()).isEqualTo("held");
    JsonObject first = lock.getAsJsonArray("holders").get(0).getAsJsonObject();
    assertThat(first.get("label").getAsString()).isEqualTo("holder");
    assertThat(first.get("token").getAsLong()).isEqualTo(lease.token());
    assertThat(first.get("leftSeconds").getAsDouble()).isBetween(0.0, 30.0);
    assertThat(lock.getAsJsonArray("waiters"))
        .singleElement()
        .extracting(waiter -> waiter.getAsJsonObject().get("label").getAsString())
        .isEqualTo("waiter");
  }

  @ParameterizedTest
  @MethodSource("stores")
  void oneNameIsShownWithItsWaiters(String store) throws Exception {
    try (Pawl holder = node(store, "holder");
        Pawl waiter = node(store, "waiter");
        Lease lease = holder.lock(ODD).acquire()) {
      var waiting = waiter.lock(ODD).acquireAsync(Duration.ofMinutes(2));
      awaitWaiter(holder, ODD);

      // An argument is bytes: a locale without UTF-8 must not make another name of it.
      Map<String, String> ascii = Map.of("PAWL_STORE", store, "LC_ALL", "C");
      Result people = untilItShows("waiter", () -> showOdd(ascii, "show"));
      assertThat(people.out()).contains(ODD, "held", "HOLDER", "holder", "WAITING");
      Map<String, String> utf8 = Map.of("PAWL_STORE", store);
      JsonObject shown = json(untilItShows("\"waiter\"", () -> showOdd(utf8, "show --json")));
      assertHeldAndWaitedFor(shown, lease);
      assertThat(Instant.parse(shown.get("now").getAsString())).isAfter(Instant.EPOCH);
      waiting.cancel(true);
    }
    JsonObject free = json(PawlCommand.run(store, "show", "--json", "never-seen"));
    assertThat(free.get("state").getAsString()).isEqualTo("free");
    assertThat(free.getAsJsonArray("holders")).isEmpty();
  }

  @ParameterizedTest
  @MethodSource("stores")
  void jobsAreShownWithTheirRuns(String store) throws Exception {
    Instant tick = Instant.parse("2026-01-02T03:04:00Z");
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (Pawl node = node(store, "node-1")) {
      node.job("good").run(tick, run -> "done");
      node.job("bad")
          .run(
              tick,
              run -> {
                throw new IllegalStateException("no gateway");
              });
      var standby =
          node.job("long")
              .runOrStandBy(
                  tick,
                  run -> {
                    running.countDown();
                    return end.await(2, TimeUnit.MINUTES);
                  });
      assertThat(running.await(1, TimeUnit.MINUTES)).isTrue();

      Result people = PawlProcess.run(store, "jobs");
      assertThat(people.out()).contains("JOB", "good", "bad", "failed", "node-1", tick.toString());
      assertThat(PawlCommand.run(store, "jobs", "-q").out().lines())
          .containsExactly("bad", "good", "long");

      JsonObject programs = json(PawlCommand.run(store, "jobs", "--json"));
      JsonObject bad = programs.getAsJsonArray("jobs").get(0).getAsJsonObject();
      assertThat(bad.get("tick").getAsString()).isEqualTo(tick.toString());
      assertThat(bad.getAsJsonObject("last").get("outcome").getAsString()).isEqualTo("FAILED");
      assertThat(bad.getAsJsonObject("last").get("error").getAsString()).contains("no gateway");
      assertThat(bad.get("runner").isJsonNull()).isTrue();
      JsonObject busy = programs.getAsJsonArray("jobs").get(2).getAsJsonObject();
      assertThat(busy.getAsJsonObject("runner").get("label").getAsString()).isEqualTo("node-1");
      assertThat(busy.get("last").isJsonNull()).isTrue();

      Result page = PawlCommand.run(store, "show", "job:bad");
      assertThat(page.out()).contains("tick", tick.toString(), "RUN OF TICK", "no gateway");
      assertThat(PawlCommand.run(store, "show", "bad").err()).contains("pawl show job:bad");

      assertThat(PawlProcess.run(store, "journal", "job:good").out())
          .containsPattern("duration=[0-9.]+m?s,");

      Result snapshot = PawlProcess.run(store, "top");
      assertThat(snapshot.code()).isZero();
      assertThat(snapshot.out()).contains("1 jobs running", "good", "bad", "long");
      assertThat(snapshot.out()).doesNotContain("\u001b");
      end.countDown();
      standby.get(1, TimeUnit.MINUTES);
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void aWaitEndsWhenTheNameIsFree(String store) throws InterruptedException {
    try (Pawl holder = node(store, "holder")) {
      assertThat(PawlCommand.run(store, "wait", "deploy")).isEqualTo(new Result(0, "", ""));
      Lease lease = holder.lock("deploy").acquire();
      Result inVain = PawlCommand.run(store, "wait", "-q", "-w", "200ms", "deploy");
      assertThat(inVain.code()).isEqualTo(75);
      assertThat(inVain.err())
          .contains("deploy is held by holder", Long.toString(lease.token()), "200ms");
      assertThat(inVain.err().lines()).hasSize(1);

      try (PawlProcess waiting = PawlProcess.start(store, "wait", "deploy")) {
        waiting.awaitText("deploy is held by holder");
        assertThat(waiting.process().isAlive()).isTrue();
        lease.close();
        assertThat(waiting.await().code()).isZero();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("stores")
  void anOperatorReleasesWhatHeSawAndNothingElse(String store) throws Exception {
    CountDownLatch lost = new CountDownLatch(1);
    try (Pawl holder = node(store, "holder")) {
      Lease lease = holder.lock("invoice:42").acquire();
      lease.onLost(lost::countDown);
      String token = Long.toString(lease.token());
      String other = Long.toString(lease.token() + 1);
      String[] right = {"release", "invoice:42", "--token", token, "--reason", "host is gone"};

      Result unasked = PawlCommand.run(store, right);
      assertThat(unasked.code()).isEqualTo(64);
      assertThat(unasked.err()).contains("no terminal", "--yes");
      Result stale =
          PawlCommand.run(store, "release", "invoice:42", "-t", other, "-r", "gone", "--yes");
      assertThat(stale.code()).isEqualTo(75);
      assertThat(stale.err()).contains("held by holder", token, "nothing was released");
      assertThat(PawlCommand.run(store, "release", "invoice:42", "-t", token, "-r", " ", "-y"))
          .extracting(Result::code)
          .isEqualTo(64);
      assertThat(lost.getCount()).isOne();

      Result done =
          run(
              Map.of("PAWL_STORE", store, "SUDO_USER", "anna", "USER", "root"),
              Stream.concat(Stream.of(right), Stream.of("--yes")).toArray(String[]::new));
      assertThat(done.code()).as(done.err()).isZero();
      assertThat(done.out()).isEqualTo("released invoice:42 from holder\n");
      assertThat(lost.await(1, TimeUnit.MINUTES)).isTrue();

      JsonObject shown = json(PawlCommand.run(store, "show", "--json", "invoice:42"));
      JsonObject entry = forcedRelease(shown);
      assertThat(entry.getAsJsonObject("details").get("by").getAsString()).startsWith("anna@");
      assertThat(entry.getAsJsonObject("details").get("reason").getAsString())
          .isEqualTo("host is gone");
    }
  }

  /** Returns the entry of the operator; the holder's node may have added one that it lost it. */
  private static JsonObject forcedRelease(JsonObject shown) {
    for (JsonElement entry : shown.getAsJsonArray("journal")) {
      if (entry.getAsJsonObject().get("kind").getAsString().equals("FORCED_RELEASE")) {
        return entry.getAsJsonObject();
      }
    }
    throw new AssertionError("no forced release in " + shown);
  }

  private static Pawl node(String store, String label) {
    return Pawl.builder(store).label(label).responseTimeout(Duration.ofSeconds(30)).build();
  }

  private static Result run(Map<String, String> environment, String... arguments) {
    try (PawlProcess pawl = PawlProcess.start(environment, arguments)) {
      return pawl.await();
    }
  }

  /** Runs a command with the odd name as bash writes it: Java knows what its own locale knows. */
  private static Result showOdd(Map<String, String> environment, String command) {
    StringBuilder octal = new StringBuilder();
    for (byte each : ODD.getBytes(StandardCharsets.UTF_8)) {
      octal.append("\\%03o".formatted(each & 0xff));
    }
    String line = "\"$PAWL\" " + command + " -- \"$(printf '" + octal + "')\"";
    try (PawlProcess bash = PawlProcess.startBash(environment, line)) {
      return bash.await();
    }
  }

  private static JsonObject json(Result result) {
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(result.out().lines()).hasSize(1);
    return JsonParser.parseString(result.out()).getAsJsonObject();
  }

  private static void awaitWaiter(Pawl node, String name) {
    while (node.inspector().find(name).orElseThrow().waiters().isEmpty()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }
}
