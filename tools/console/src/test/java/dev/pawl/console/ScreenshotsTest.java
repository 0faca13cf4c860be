package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Inspector;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Pictures of each page, in both languages and themes; with {@code -Dpawl.screenshots=DIRECTORY}
 * they are kept, as they are in {@code docs/console}.
 */
class ScreenshotsTest {

  private static final String[] PAGES = {"locks", "jobs", "nodes", "graph", "store", "audit"};

  private static final Map<String, String> AWAITED =
      Map.of(
          "locks", "nightly-backup",
          "jobs", "sms-reminder",
          "nodes", "Leases lost",
          "graph", "4 wait",
          "store", "round trip",
          "audit", "olga@ops");

  private static final int HEIGHT = 717;

  /** So that all lanes are in the picture, and what their signs mean. */
  private static final int JOBS_HEIGHT = 960;

  @TempDir Path directory;

  @Test
  void everyPageIsDrawn() throws Exception {
    Path pictures = Path.of(System.getProperty("pawl.screenshots", directory.toString()));
    Files.createDirectories(pictures);
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Browser browser = Browser.start("en");
        Scene scene = Scene.ordinaryDay(url);
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      Inspector inspector = scene.node("billing@web-1:4120").inspector();
      inspector.pauseJob("cleanup", "olga@ops", "the disk of batch-1 is full");
      long mark = inspector.find("job:report").orElseThrow().mark().getAsLong();
      inspector.permitRerun("report", Instant.ofEpochMilli(mark), "olga@ops", "wrong template");
      browser.open(console.link());
      browser.awaitText("nightly-backup");
      browser.run("document.querySelector('[data-sort=waiters]').click()");
      for (String page : PAGES) {
        browser.width(1280, page.equals("jobs") ? JOBS_HEIGHT : HEIGHT);
        browser.go(page);
        browser.awaitText(AWAITED.get(page));
        keep(browser, pictures.resolve(page + ".png"));
      }
      browser.width(1280, HEIGHT);
      browser.go("locks/report%3Amonthly");
      browser.awaitText("billing@web-2:3881");
      keep(browser, pictures.resolve("lock.png"));
      browser.click("[data-release]");
      browser.type("#reason", "batch-1 does not answer");
      keep(browser, pictures.resolve("release.png"));
      browser.run("document.querySelector('dialog').close()");
      press(browser, "language");
      press(browser, "theme");
      browser.go("locks");
      browser.awaitText("nightly-backup");
      keep(browser, pictures.resolve("locks-zh-dark.png"));
      browser.width(1280, JOBS_HEIGHT);
      browser.go("jobs");
      browser.awaitText("sms-reminder");
      keep(browser, pictures.resolve("jobs-zh-dark.png"));
      browser.width(1280, HEIGHT);
      browser.go("store");
      browser.awaitText("往返耗时");
      keep(browser, pictures.resolve("store-zh-dark.png"));
      browser.width(360, 740);
      browser.go("locks");
      browser.awaitText("nightly-backup");
      keep(browser, pictures.resolve("locks-phone.png"));
      browser.go("nodes");
      browser.awaitText("billing@web-1:4120");
      keep(browser, pictures.resolve("nodes-phone.png"));
      press(browser, "theme");
      press(browser, "language");
      browser.go("jobs");
      browser.awaitText("the disk of batch-1 is full");
      keep(browser, pictures.resolve("jobs-phone.png"));
      browser.go("locks/report%3Amonthly");
      browser.awaitText("billing@web-2:3881");
      keep(browser, pictures.resolve("lock-phone.png"));
      assertThat(browser.problems()).isEmpty();
      assertThat(scene).isNotNull();
    }
  }

  /** Without the mouse, which would stay there and be seen. */
  private static void press(Browser browser, String id) {
    browser.run("document.getElementById(arguments[0]).click()", id);
  }

  private static void keep(Browser browser, Path file) throws Exception {
    Files.write(file, browser.screenshot());
  }
}
