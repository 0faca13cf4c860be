package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.console.watch.Await;
import dev.pawl.testservers.RedisServer;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator's program decides about jobs. */
class JobsApiTest {

  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant SECOND = FIRST.plusSeconds(60);
  private static final String REASON = "{\"reason\":\"no paper\"}";
  private static final List<String> VERBS = List.of("pause", "resume", "rerun", "withdraw");

  @TempDir Path directory;
  private String url;
  private Pawl pawl;
  private Fixture console;

  @BeforeEach
  void start() throws Exception {
    url = "sqlite:" + directory.resolve("locks.db");
    pawl = Pawl.builder(url).label("app@one").build();
    console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
  }

  @AfterEach
  void stop() {
    console.close();
    pawl.close();
  }

  private Job.Outcome<Void> run(Instant tick) {
    return pawl.job("report").run(tick, run -> {});
  }

  private JsonObject decide(int status, String path, String body) throws Exception {
    HttpResponse<String> response = console.post("api/v1/jobs/" + path, body);
    assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
    return Fixture.json(response);
  }

  private static String tick(Instant tick) {
    return "{\"tick\":\"" + tick + "\",\"reason\":\"the disk was full\"}";
  }

  private static String body(String verb) {
    return verb.equals("pause") || verb.equals("resume") ? REASON : tick(FIRST);
  }

  private static JsonObject error(JsonObject answer) {
    return answer.getAsJsonObject("error");
  }

  private JsonObject job(String name) throws Exception {
    for (JsonElement each : console.ask("jobs").getAsJsonArray("jobs")) {
      if (each.getAsJsonObject().get("job").getAsString().equals(name)) {
        return each.getAsJsonObject();
      }
    }
    return new JsonObject();
  }

  private boolean isPaused(String name) throws Exception {
    return job(name).has("paused") && job(name).get("paused").isJsonObject();
  }

  private String audited() throws Exception {
    return console.ask("audit").getAsJsonArray("entries").toString();
  }

  @Test
  void aPausedJobRunsNowhereUntilItIsResumed() throws Exception {
    assertThat(run(FIRST)).isInstanceOf(Job.Outcome.Ran.class);
    decide(200, "report/pause", REASON);
    assertThat(run(SECOND)).isInstanceOf(Job.Outcome.Paused.class);
    Await.until(() -> isPaused("report"));
    JsonObject pause = job("report").getAsJsonObject("paused");
    assertThat(pause.get("by").getAsString()).isEqualTo(Fixture.OPERATOR.name());
    assertThat(pause.get("reason").getAsString()).isEqualTo("no paper");
    assertThat(Instant.parse(pause.get("since").getAsString())).isAfter(SECOND);
    JsonObject again = error(decide(409, "report/pause", REASON));
    assertThat(again.get("code").getAsString()).isEqualTo("changed");
    assertThat(again.get("message").getAsString())
        .contains("paused already, by olga@test since", "no paper", "nothing was changed");

    decide(200, "report/resume", "{\"reason\":\"paper came\"}");
    assertThat(run(SECOND)).isInstanceOf(Job.Outcome.Ran.class);
    Await.until(() -> !isPaused("report"));
    assertThat(error(decide(409, "report/resume", REASON)).get("message").getAsString())
        .isEqualTo("job report is not paused; nothing was changed");
    Await.until(() -> audited().contains("job-resumed"));
    assertThat(audited()).contains("job-paused", "no paper", "paper came", "olga@test");
  }

  @Test
  void aJobThatHasNeverRunIsListedWhileItIsPaused() throws Exception {
    try (var lease = pawl.lock("makes the store").acquire()) {
      assertThat(lease.isHeld()).isTrue();
    }
    decide(200, "later/pause", REASON);
    Await.until(() -> isPaused("later"));
    assertThat(job("later").getAsJsonArray("runs")).isEmpty();
  }

  @Test
  void oneTickIsRunAgainByItsPermitAlone() throws Exception {
    run(FIRST);
    run(SECOND);
    decide(200, "report/rerun", tick(FIRST));
    Await.until(() -> job("report").getAsJsonArray("permits").size() == 1);
    JsonObject permit = job("report").getAsJsonArray("permits").get(0).getAsJsonObject();
    assertThat(permit.get("tick").getAsString()).isEqualTo(FIRST.toString());
    assertThat(permit.get("by").getAsString()).isEqualTo(Fixture.OPERATOR.name());
    assertThat(permit.get("reason").getAsString()).isEqualTo("the disk was full");
    assertThat(error(decide(409, "report/rerun", tick(FIRST))).get("message").getAsString())
        .contains("may run again already, by olga@test");

    assertThat(run(SECOND)).isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(run(FIRST)).isInstanceOf(Job.Outcome.Ran.class);
    assertThat(run(FIRST)).isInstanceOf(Job.Outcome.AlreadyDone.class);
    Await.until(() -> job("report").getAsJsonArray("permits").isEmpty());
    assertThat(audited()).contains("job-rerun", "the disk was full", FIRST.toString());
  }

  @Test
  void aPermitIsWithdrawn() throws Exception {
    run(FIRST);
    decide(200, "report/rerun", tick(FIRST));
    decide(200, "report/withdraw", tick(FIRST));
    assertThat(run(FIRST)).isInstanceOf(Job.Outcome.AlreadyDone.class);
    decide(409, "report/withdraw", tick(FIRST));
    Await.until(() -> audited().contains("job-rerun-withdrawn"));
  }

  @Test
  void aTickThatIsNotDoneNeedsNoPermit() throws Exception {
    run(FIRST);
    assertThat(error(decide(409, "report/rerun", tick(SECOND))).get("message").getAsString())
        .contains("is not done, the latest that is done is " + FIRST);
    for (int i = 1; i <= 21; i++) {
      run(FIRST.plusSeconds(i));
    }
    for (int i = 1; i <= 20; i++) {
      decide(200, "report/rerun", tick(FIRST.plusSeconds(i)));
    }
    JsonObject full = error(decide(409, "report/rerun", tick(FIRST.plusSeconds(21))));
    assertThat(full.get("code").getAsString()).isEqualTo("too-many-permits");
    assertThat(full.get("message").getAsString()).contains("20 ticks", "withdraw");
  }

  @Test
  void whatIsMalformedIsRefused() throws Exception {
    run(FIRST);
    for (String verb : VERBS) {
      decide(400, "report/" + verb, "{}");
      decide(400, "report/" + verb, "{\"reason\":\" \",\"tick\":\"" + FIRST + "\"}");
      decide(400, "report/" + verb, "{\"reason\":\"x\",\"tick\":\"now\",\"more\":\"y\"}");
      decide(400, "x".repeat(252) + "/" + verb, body(verb));
    }
    for (String tick : new String[] {"", "now", "1", "2026-01-01", "+999999999-01-01T00:00:00Z"}) {
      decide(400, "report/rerun", "{\"reason\":\"x\",\"tick\":\"" + tick + "\"}");
    }
    decide(404, "report/reset", REASON);
    assertThat(console.get("api/v1/jobs/report/pause").statusCode()).isEqualTo(405);
    assertThat(console.watch.inspector().jobControls(10)).isEmpty();
  }

  @Test
  void aViewerMayNotNorAnyoneWithoutTheCsrfToken() throws Exception {
    run(FIRST);
    for (String verb : VERBS) {
      HttpResponse<String> forged =
          Fixture.send(
              console
                  .request("api/v1/jobs/report/" + verb)
                  .header("Content-Type", "application/json")
                  .POST(HttpRequest.BodyPublishers.ofString(tick(FIRST))));
      assertThat(forged.statusCode()).isEqualTo(403);
      assertThat(error(Fixture.json(forged)).get("code").getAsString()).isEqualTo("csrf");
    }
    console.close();
    console = Fixture.start(url, Fixture.VIEWER).signedIn(Fixture.VIEWER);
    for (String verb : VERBS) {
      JsonObject refused = error(decide(403, "report/" + verb, tick(FIRST)));
      assertThat(refused.get("code").getAsString()).isEqualTo("not-operator");
    }
    assertThat(console.watch.inspector().jobControls(10)).isEmpty();
  }

  @Test
  void aStoreWithoutRegistersRefusesWithTheReason() throws Exception {
    try (RedisServer a = RedisServer.start();
        RedisServer b = RedisServer.start();
        RedisServer c = RedisServer.start()) {
      String redlock =
          "redlock://%s,%s,%s"
              .formatted(
                  a.url().substring("redis://".length()),
                  b.url().substring("redis://".length()),
                  c.url().substring("redis://".length()));
      try (Fixture other = Fixture.start(redlock, Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
        for (String verb : VERBS) {
          HttpResponse<String> refused = other.post("api/v1/jobs/report/" + verb, body(verb));
          assertThat(refused.statusCode()).as(verb + refused.body()).isEqualTo(409);
          JsonObject error = error(Fixture.json(refused));
          assertThat(error.get("code").getAsString()).isEqualTo("unsupported");
          assertThat(error.get("message").getAsString())
              .contains("every store of this project but Redlock");
        }
      }
    }
  }
}
