package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.Keys;
import org.openqa.selenium.interactions.Actions;

/** The whole console without a mouse. */
class KeyboardBrowserTest {

  @TempDir Path directory;

  private static void press(Browser browser, CharSequence... keys) {
    new Actions(browser.driver()).sendKeys(keys).perform();
  }

  private static String focused(Browser browser) {
    return String.valueOf(
        browser.run(
            "const e = document.activeElement;"
                + "return e.id || e.dataset.focus || e.getAttribute('href')"
                + " || e.dataset.sort || e.tagName;"));
  }

  /** Goes on with the tab key until that has the focus; returns what had it on the way. */
  private static List<String> tabTo(Browser browser, String wanted) {
    List<String> way = new ArrayList<>();
    while (!focused(browser).equals(wanted)) {
      assertThat(way).as("on the way to " + wanted).hasSizeLessThan(60);
      press(browser, Keys.TAB);
      way.add(focused(browser));
      assertThat(outlined(browser)).as(way + " can be seen to have the focus").isTrue();
    }
    return way;
  }

  /** Tells whether one sees what has the focus; where the browser itself has it, there is none. */
  private static boolean outlined(Browser browser) {
    return Boolean.TRUE.equals(
        browser.run(
            "const e = document.activeElement; if (e === document.body) return true;"
                + "const s = getComputedStyle(e), r = e.getBoundingClientRect();"
                + "return (parseFloat(s.outlineWidth) >= 1 && s.outlineStyle !== 'none')"
                + " && r.width > 0 && r.right > 0 && r.left < innerWidth;"));
  }

  @Test
  void aReleaseAndAPauseByKeyboardAlone() throws Exception {
    String url = "sqlite:" + directory.resolve("locks.db");
    try (Browser browser = Browser.start("en");
        Pawl pawl = Pawl.builder(url).label("app@one").build();
        Lease other = pawl.lock("a-first").acquire();
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      Lease lease = pawl.lock("stuck").acquire();
      pawl.job("report").run(java.time.Instant.parse("2026-01-01T00:00:00Z"), run -> {});
      browser.open(console.link());
      browser.find("[data-name='stuck']");

      List<String> way = tabTo(browser, "#/locks/stuck");
      assertThat(way)
          .containsSubsequence(
              "skip", "#/locks", "#/jobs", "#/audit", "language", "theme", "filter")
          .containsSubsequence("filter", "name", "waiters", "#/locks/a-first", "#/locks/stuck");
      // A button of the frame that is drawn anew keeps the focus.
      browser.run("document.getElementById('theme').focus()");
      press(browser, Keys.ENTER);
      assertThat(focused(browser)).isEqualTo("theme");
      press(browser, Keys.ENTER);
      browser.run("document.getElementById('main').focus()");
      press(browser, "/");
      assertThat(focused(browser)).isEqualTo("filter");

      tabTo(browser, "#/locks/stuck");
      press(browser, Keys.ENTER);
      browser.find("[data-release]");
      assertThat(focused(browser)).isEqualTo("main");
      String release = "release " + lease.token();
      tabTo(browser, release);
      press(browser, Keys.ENTER);
      browser.find("dialog[open]");
      assertThat(focused(browser)).isEqualTo("reason");
      // Nothing behind the dialog can be reached.
      for (int i = 0; i < 8; i++) {
        press(browser, Keys.TAB);
        assertThat(
                browser.run(
                    "return document.activeElement === document.body"
                        + " || Boolean(document.activeElement.closest('dialog'))"))
            .isEqualTo(true);
      }
      press(browser, Keys.ESCAPE);
      browser.await("closed", () -> browser.all("dialog").isEmpty());
      assertThat(focused(browser)).isEqualTo(release);
      assertThat(lease.isHeld()).isTrue();

      press(browser, Keys.ENTER);
      browser.find("dialog[open]");
      // The page goes on behind the dialog: its button is another one now.
      browser.run(
          "const b = document.querySelector('[data-release]'); b.replaceWith(b.cloneNode(true))");
      press(browser, Keys.ESCAPE);
      browser.await("closed", () -> browser.all("dialog").isEmpty());
      assertThat(focused(browser)).isEqualTo(release);
      browser.driver().navigate().refresh();
      browser.find("[data-release]");
      tabTo(browser, release);
      press(browser, Keys.ENTER);
      browser.find("dialog[open]");
      press(browser, "it hangs", Keys.TAB, Keys.TAB, Keys.ENTER);
      browser.awaitText("Nobody holds it, and nobody waits for it.");
      browser.awaitText("it hangs");
      browser.await("focus", () -> focused(browser).equals("main"));

      browser.go("jobs");
      browser.find("[data-act='pause']");
      tabTo(browser, "report pause");
      press(browser, Keys.ENTER);
      browser.find("dialog[open]");
      press(browser, "no paper", Keys.TAB, Keys.TAB, Keys.ENTER);
      browser.awaitText("paused by olga@test");
      assertThat(browser.problems()).isEmpty();
      assertThat(other.isHeld()).isTrue();
    }
  }
}
