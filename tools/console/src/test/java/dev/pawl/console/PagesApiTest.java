package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pages of a name, of the jobs and of the nodes are made of. */
class PagesApiTest {

  private static final Instant TICK = Instant.parse("2026-01-01T00:00:00Z");

  @TempDir Path directory;
  private Pawl one;
  private Pawl two;
  private Pawl three;
  private Fixture console;

  @BeforeEach
  void start() throws Exception {
    one = node("app@one");
    two = node("app@two");
    three = node("app@three");
    console = Fixture.start(url(), Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
  }

  @AfterEach
  void stop() {
    console.close();
    one.close();
    two.close();
    three.close();
  }

  private String url() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  private Pawl node(String label) {
    return Pawl.builder(url()).label(label).build();
  }

  private static List<String> nodes(JsonArray rows) {
    return StreamSupport.stream(rows.spliterator(), false)
        .map(row -> row.getAsJsonObject().get("node").getAsString())
        .toList();
  }

  private JsonObject lock(String name) throws Exception {
    return console.ask("locks/" + name);
  }

  private JsonObject only(String what) throws Exception {
    JsonArray all = console.ask(what).getAsJsonArray(what);
    assertThat(all).hasSize(1);
    return all.get(0).getAsJsonObject();
  }

  @Test
  void aNameHasItsHolderItsQueueInOrderItsEdgesAndItsHistory() throws Exception {
    Lease held = one.lock("report").acquire();
    CompletableFuture<Lease> second = waitsIn(three);
    Await.until(() -> lock("report").get("waiters").getAsInt() == 1);
    AtomicReference<CompletableFuture<Lease>> third = new AtomicReference<>(waitsIn(two));
    AtomicReference<JsonObject> both = new AtomicReference<>();
    Await.until(
        () -> {
          both.set(lock("report"));
          List<String> queue = nodes(both.get().getAsJsonArray("queue"));
          if (queue.equals(List.of("app@two", "app@three"))) {
            // The machine stood still for so long that the first lost its place.
            third.getAndSet(null).cancel(true);
            third.set(waitsIn(two));
          }
          return queue.equals(List.of("app@three", "app@two"));
        });

    JsonObject page = both.get();
    assertThat(nodes(page.getAsJsonArray("holders"))).containsExactly("app@one");
    assertThat(page.getAsJsonObject("graph").getAsJsonArray("edges")).hasSize(2);
    assertThat(page.getAsJsonArray("journal")).isEmpty();

    third.get().cancel(true); // Else it is the next, if the machine stands still now.
    two.inspector().forceRelease("report", held.token(), "olga", "it hangs");
    assertThat(second.get().name()).isEqualTo("report");
    Await.until(() -> nodes(lock("report").getAsJsonArray("holders")).contains("app@three"));
    assertThat(lock("report").getAsJsonArray("journal").toString())
        .contains("forced-release", "olga", "it hangs", "" + held.token());
  }

  private static CompletableFuture<Lease> waitsIn(Pawl node) {
    return node.lock("report").acquireAsync(Duration.ofMinutes(5));
  }

  @Test
  void aJobShowsWhoRunsItWhoStandsByAndWhoTookOver() throws Exception {
    CountDownLatch mayEnd = new CountDownLatch(1);
    CompletableFuture<Job.Outcome<Void>> first =
        one.job("sms")
            .retryElsewhere(1)
            .runOrStandBy(
                TICK,
                run -> {
                  mayEnd.await();
                  throw new IllegalStateException("no modem");
                });
    Await.until(() -> !console.ask("jobs").getAsJsonArray("jobs").isEmpty());
    Await.until(() -> !only("jobs").get("runner").isJsonNull());
    CompletableFuture<Job.Outcome<Void>> second =
        two.job("sms").retryElsewhere(1).runOrStandBy(TICK, run -> {});
    AtomicReference<JsonObject> seen = new AtomicReference<>();
    Await.until(
        () -> {
          seen.set(only("jobs"));
          return !seen.get().getAsJsonArray("standbys").isEmpty();
        });

    JsonObject running = seen.get();
    assertThat(running.getAsJsonObject("runner").get("node").getAsString()).isEqualTo("app@one");
    assertThat(nodes(running.getAsJsonArray("standbys"))).containsExactly("app@two");
    mayEnd.countDown();
    assertThat(first.get()).isInstanceOf(Job.Outcome.Failed.class);
    assertThat(second.get()).isInstanceOf(Job.Outcome.Ran.class);

    Await.until(() -> only("jobs").getAsJsonArray("runs").size() == 2);
    JsonArray runs = only("jobs").getAsJsonArray("runs");
    assertThat(nodes(runs)).containsExactly("app@two", "app@one");
    assertThat(runs.get(0).getAsJsonObject().get("takeOver").getAsBoolean()).isTrue();
    assertThat(runs.get(1).getAsJsonObject().get("takeOver").getAsBoolean()).isFalse();
    assertThat(runs.get(1).getAsJsonObject().get("ending").getAsString()).isEqualTo("retried");
    assertThat(runs.get(1).getAsJsonObject().get("error").getAsString()).contains("no modem");
    assertThat(only("jobs").getAsJsonArray("missed")).isEmpty();
  }

  @Test
  void nodesAreKnownByWhatTheyHoldWaitForHaveRunAndHaveLost() throws Exception {
    LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(4));
    Lease kept = one.lock("kept").acquire();
    Lease taken = one.lock("taken", brief).acquire();
    CompletableFuture<Lease> waits = two.lock("kept").acquireAsync(Duration.ofMinutes(5));
    three.job("sms").run(TICK, run -> {});
    three
        .job("sms")
        .run(
            TICK.plusSeconds(60),
            run -> {
              throw new IllegalStateException("no modem");
            });
    three.inspector().forceRelease("taken", taken.token(), "olga", "it hangs");
    Await.until(() -> node("app@one", "lost") == 1 && node("app@two", "waits") == 1);

    assertThat(node("app@one", "holds")).isEqualTo(1);
    assertThat(node("app@three", "runs")).isEqualTo(2);
    assertThat(node("app@three", "failed")).isEqualTo(1);
    // It is there while it waits, and waits again at once where the machine stood still.
    Await.until(() -> isThere("app@two"));
    assertThat(row("app@three").get("there").getAsBoolean()).isFalse();
    assertThat(Instant.parse(row("app@three").get("last").getAsString()))
        .isAfterOrEqualTo(Instant.parse(row("app@three").get("first").getAsString()));
    assertThat(kept.isHeld()).isTrue();
    waits.cancel(true);
  }

  private int node(String label, String what) throws Exception {
    JsonObject row = row(label);
    return row.size() == 0 ? 0 : row.get(what).getAsInt();
  }

  private boolean isThere(String label) throws Exception {
    JsonObject row = row(label);
    return row.size() > 0 && row.get("there").getAsBoolean();
  }

  private JsonObject row(String label) throws Exception {
    for (JsonElement each : console.ask("nodes").getAsJsonArray("nodes")) {
      if (each.getAsJsonObject().get("node").getAsString().equals(label)) {
        return each.getAsJsonObject();
      }
    }
    return new JsonObject();
  }
}
