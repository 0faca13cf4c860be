package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person decides about jobs, in a real browser. */
class JobsBrowserTest {

  private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant SECOND = FIRST.plusSeconds(60);

  @TempDir Path directory;

  private static Job.Outcome<Void> run(Pawl pawl, Instant tick) {
    return pawl.job("report").run(tick, run -> {});
  }

  private static void decide(Browser browser, String reason) {
    browser.type("#reason", reason);
    browser.click("#confirm");
    browser.await("the dialog is still open", () -> browser.all("dialog").isEmpty());
  }

  @Test
  void anOperatorPausesResumesAndRunsATickAgainAndAViewerOnlySeesIt() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Browser browser = Browser.start("en");
        Pawl pawl = Pawl.builder(url).label("app@one").build()) {
      run(pawl, FIRST);
      try (Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
        browser.open(console.link());
        browser.go("jobs");
        browser.click("[data-act='pause']");
        browser.awaitText("No node starts a run of report until somebody resumes it.");
        decide(browser, "no paper <b>left</b>");
        browser.awaitText("paused by olga@test at");
        browser.awaitText("no paper <b>left</b>");
        assertThat(run(pawl, SECOND)).isInstanceOf(Job.Outcome.Paused.class);

        browser.click("[data-act='resume']");
        decide(browser, "paper came");
        browser.awaitNoText("paused by");
        assertThat(run(pawl, SECOND)).isInstanceOf(Job.Outcome.Ran.class);

        browser.find("[data-job='report']");
        browser.click("[data-act='rerun']");
        browser.find("#tick");
        browser.run("document.querySelector('#tick').value = arguments[0]", FIRST.toString());
        decide(browser, "the disk was full");
        browser.find("[data-permit='" + FIRST + "']");
        assertThat(run(pawl, SECOND)).isInstanceOf(Job.Outcome.AlreadyDone.class);
        assertThat(run(pawl, FIRST)).isInstanceOf(Job.Outcome.Ran.class);
        browser.await("permit", () -> browser.all("[data-permit]").isEmpty());

        browser.go("audit");
        browser.awaitText("no paper <b>left</b>");
        browser.awaitText("the disk was full");
        assertThat(browser.problems()).isEmpty();
        console.watch.inspector().pauseJob("report", "ann", "for the viewer");
      }
      try (Fixture console = Fixture.start(url, Fixture.VIEWER)) {
        browser.open(console.link());
        browser.go("jobs");
        browser.awaitText("paused by ann at");
        assertThat(browser.all("[data-act]")).isEmpty();
      }
    }
  }
}
