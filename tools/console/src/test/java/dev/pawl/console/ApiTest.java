package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import dev.pawl.spi.LockStore;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a program gets. */
class ApiTest {

  @TempDir Path directory;
  private Pawl pawl;
  private Fixture console;

  @BeforeEach
  void start() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    pawl = Pawl.builder(url).label("app@one").build();
    console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
  }

  @AfterEach
  void stop() {
    console.close();
    pawl.close();
  }

  @Test
  void aHeldLockIsListedWithItsHolder() throws Exception {
    try (Lease lease = pawl.lock("invoice:42").acquire()) {
      JsonObject page = console.ask("locks?filter=invoice");
      JsonObject holder =
          page.getAsJsonArray("locks")
              .get(0)
              .getAsJsonObject()
              .getAsJsonArray("holders")
              .get(0)
              .getAsJsonObject();
      assertThat(page.get("total").getAsInt()).isEqualTo(1);
      assertThat(holder.get("node").getAsString()).isEqualTo("app@one");
      assertThat(holder.get("token").getAsString()).isEqualTo("" + lease.token());
      assertThat(Instant.parse(holder.get("expires").getAsString()))
          .isAfter(Instant.parse(page.get("now").getAsString()));
    }
  }

  @Test
  void aNameWithEverythingInItIsFoundInBothForms() throws Exception {
    String name = "a/b;c%2F?d#é \u202e🔒<script>";
    try (Lease lease = pawl.lock(name).acquire()) {
      String base64 =
          Base64.getUrlEncoder()
              .withoutPadding()
              .encodeToString(name.getBytes(StandardCharsets.UTF_8));
      String percent = java.net.URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20");
      for (String form : new String[] {"~" + base64, percent}) {
        JsonObject lock = console.ask("locks/" + form);
        assertThat(lock.get("name").getAsString()).isEqualTo(name);
        assertThat(lock.get("holderCount").getAsInt()).isEqualTo(1);
      }
      assertThat(console.get("api/v1/locks").body()).doesNotContain("<");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aReleaseByTheTokenTakesTheLockAway() throws Exception {
    Lease lease = pawl.lock("stuck").acquire();
    HttpResponse<String> response =
        console.post(
            "api/v1/locks/stuck/release",
            "{\"token\":\"" + lease.token() + "\",\"reason\":\"it hangs\"}");
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(console.watch.inspector().find("stuck").orElseThrow().holders()).isEmpty();
    JsonObject entry = console.ask("audit").getAsJsonArray("entries").get(0).getAsJsonObject();
    assertThat(entry.get("kind").getAsString()).isEqualTo("forced-release");
    JsonObject details = entry.getAsJsonObject("details");
    assertThat(details.get("by").getAsString()).isEqualTo(Fixture.OPERATOR.name());
    assertThat(details.get("reason").getAsString()).isEqualTo("it hangs");
    assertThat(details.get("holder").getAsString()).isEqualTo("app@one");
    assertThat(console.ask("locks/stuck").getAsJsonArray("journal")).hasSize(1);
  }

  @Test
  void aReleaseIsRefusedIfTheHolderHasChanged() throws Exception {
    long seen;
    try (Lease lease = pawl.lock("stuck").acquire()) {
      seen = lease.token();
    }
    try (Lease lease = pawl.lock("stuck").acquire()) {
      HttpResponse<String> response =
          console.post(
              "api/v1/locks/stuck/release", "{\"token\":\"" + seen + "\",\"reason\":\"late\"}");
      assertThat(response.statusCode()).isEqualTo(409);
      JsonObject error = Fixture.json(response).getAsJsonObject("error");
      assertThat(error.get("code").getAsString()).isEqualTo("changed");
      assertThat(error.get("message").getAsString())
          .contains("app@one holds it with token " + lease.token(), "nothing was released");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  void aReleaseNeedsAReason() throws Exception {
    try (Lease lease = pawl.lock("kept").acquire()) {
      for (String reason : new String[] {"", "  ", "a\\u0000b", "x".repeat(501)}) {
        HttpResponse<String> response =
            console.post(
                "api/v1/locks/kept/release",
                "{\"token\":\"" + lease.token() + "\",\"reason\":\"" + reason + "\"}");
        assertThat(response.statusCode()).as(reason).isEqualTo(400);
      }
      assertThat(console.ask("locks/kept").get("holderCount").getAsInt()).isEqualTo(1);
    }
  }

  @Test
  void jobsShowTheirRunsAndErrors() throws Exception {
    Instant tick = Instant.parse("2026-01-01T00:00:00Z");
    for (int i = 0; i < 6; i++) {
      boolean fails = i == 3;
      if (i == 4) {
        continue;
      }
      pawl.job("report")
          .run(
              tick.plusSeconds(60L * i),
              run -> {
                if (fails) {
                  throw new IllegalStateException("no paper");
                }
              });
    }
    JsonObject job = console.ask("jobs").getAsJsonArray("jobs").get(0).getAsJsonObject();
    assertThat(job.get("job").getAsString()).isEqualTo("report");
    assertThat(job.getAsJsonArray("runs")).hasSize(5);
    assertThat(job.getAsJsonArray("runs").toString()).contains("no paper", "\"ending\":\"failed\"");
    // Of a schedule nobody here knows whether there was a tick between.
    assertThat(job.getAsJsonArray("missed")).isEmpty();
  }

  @Test
  void ofAPeriodMissedTicksAreShown() throws Exception {
    Duration period = Duration.ofMillis(200);
    Instant first = runEvery(period);
    Await.until(() -> storeNow().isAfter(first.plus(period.multipliedBy(4))));
    Instant last = runEvery(period);
    JsonObject job = console.ask("jobs").getAsJsonArray("jobs").get(0).getAsJsonObject();
    long missed = Duration.between(first, last).plus(period.dividedBy(3)).dividedBy(period) - 1;
    assertThat(missed).isGreaterThan(2);
    assertThat(job.getAsJsonArray("missed")).hasSize((int) Math.min(200, missed));
  }

  /** Runs it, and returns its tick. */
  private Instant runEvery(Duration period) {
    AtomicReference<Instant> tick = new AtomicReference<>();
    pawl.job("ping").run(Job.every(period), run -> tick.set(run.tick()));
    return tick.get();
  }

  private Instant storeNow() {
    long micros = ((LockStore) pawl.store()).nowMicros().toCompletableFuture().join();
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  @Test
  void whoWaitsForWhomIsShownAcrossNodes() throws Exception {
    try (Pawl other =
            Pawl.builder("sqlite:" + directory.resolve("locks.db")).label("app@two").build();
        Lease a = pawl.lock("a").acquire();
        Lease b = other.lock("b").acquire();
        Lease c = other.lock("c").acquire()) {
      CompletableFuture<Lease> waits = pawl.lock("c").acquireAsync(java.time.Duration.ofMinutes(5));
      // Of one answer: a waiter whose node stands still is not there until it asks again.
      AtomicReference<JsonArray> edges = new AtomicReference<>(new JsonArray());
      Await.until(
          () -> {
            edges.set(console.ask("graph").getAsJsonArray("edges"));
            return edges.get().size() == 1;
          });
      JsonObject edge = edges.get().get(0).getAsJsonObject();
      assertThat(edge.get("name").getAsString()).isEqualTo("c");
      assertThat(console.ask("nodes").toString()).contains("app@one", "app@two");
      c.close();
      waits.get().close();
      assertThat(a.isHeld() && b.isHeld()).isTrue();
    }
  }

  @Test
  void theDoctorIsAskedByThePageToo() throws Exception {
    try (Lease lease = pawl.lock("x").acquire()) {
      JsonObject doctor = console.ask("doctor");
      assertThat(doctor.get("store").getAsString()).contains("locks.db");
      assertThat(doctor.getAsJsonArray("findings").toString()).contains("round trip");
      assertThat(lease.isHeld()).isTrue();
    }
  }
}
