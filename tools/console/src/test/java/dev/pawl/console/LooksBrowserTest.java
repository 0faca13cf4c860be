package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How it looks: on a phone and on a wall, in both languages, with a deadlock. */
class LooksBrowserTest {

  private static final String[] PAGES = {
    "locks", "jobs", "nodes", "graph", "store", "audit", "locks/report%3Amonthly", "nothing"
  };

  private static Browser browser;
  @TempDir Path directory;

  /** Kept, since a lease whose handle nobody has ends. */
  private final List<Lease> held = new ArrayList<>();

  @BeforeAll
  static void startBrowser() {
    browser = Browser.start("en");
  }

  @AfterAll
  static void stopBrowser() {
    if (browser != null) {
      browser.close();
    }
  }

  private String url() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  @Test
  void fromAPhoneToAWallNothingIsCutOff() throws Exception {
    try (Scene scene = Scene.ordinaryDay(url());
        Fixture console = Fixture.start(url(), Fixture.OPERATOR)) {
      scene.node("billing@web-1:4120").inspector().pauseJob("cleanup", "olga@ops", "disk is full");
      browser.open(console.link());
      browser.awaitText("nightly-backup");
      for (String language : new String[] {"en", "zh"}) {
        for (int width : new int[] {360, 768, 1280, 3840}) {
          browser.width(width, width == 3840 ? 2160 : 800);
          for (String page : PAGES) {
            browser.go(page);
            browser.await("read", () -> browser.all("[aria-busy]").isEmpty());
            assertThat(cutOff()).as(language + " " + width + " " + page).isEmpty();
          }
          browser.go("locks/report%3Amonthly");
          browser.click("[data-release]");
          assertThat(cutOff()).as(language + " " + width + " dialog").isEmpty();
          browser.run("document.querySelector('dialog').close()");
        }
        browser.click("#language");
      }
      assertThat(browser.problems()).isEmpty();
    } finally {
      browser.width(1280, 860);
      browser.run("localStorage.clear()");
    }
  }

  /**
   * Returns what is beside the window, or larger than its place: unless that can be scrolled, or
   * says by three dots that there is more, and has it in its title.
   */
  private static List<?> cutOff() {
    return (List<?>)
        browser.run(
            """
            const found = [];
            const page = document.documentElement;
            if (page.scrollWidth > innerWidth) found.push(`the page is ${page.scrollWidth} wide`);
            const scrolls = (e) => e && e !== document.body
              && (/auto|scroll/.test(getComputedStyle(e).overflowX) || scrolls(e.parentElement));
            for (const e of document.querySelectorAll("body *")) {
              if (e.closest("svg") || e.closest(".skip, .hidden, thead") || !e.checkVisibility()) continue;
              const style = getComputedStyle(e);
              const box = e.getBoundingClientRect();
              if (!box.width || scrolls(e)) continue;
              const text = `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`;
              if (box.right > innerWidth + 1 || box.left < -1) found.push(`outside: ${text}`);
              if (style.overflowX === "hidden" && e.scrollWidth > e.clientWidth + 1
                  && style.textOverflow !== "ellipsis" && !e.matches(".meter")) found.push(`cut: ${text}`);
            }
            return found;
            """);
  }

  @Test
  void aCycleOfThreadsIsDrawnInRed() throws Exception {
    // They wait for each other for ever, also where the machine stands still for a while.
    Duration patient = Duration.ofSeconds(30);
    try (Pawl one = Pawl.builder(url()).label("billing@one").responseTimeout(patient).build();
        Pawl two = Pawl.builder(url()).label("billing@two").responseTimeout(patient).build();
        Deadlock deadlock = new Deadlock(one, two);
        Fixture console = Fixture.start(url(), Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.go("graph");
      // One of the two gives up after some seconds, and they meet again: all at one look.
      browser.await(
          "no cycle in red",
          () ->
              Boolean.TRUE.equals(
                  browser.run(
                      """
                      const red = getComputedStyle(document.querySelector("#cycle") ?? document.body).color;
                      const edges = [...document.querySelectorAll(".e.cycle path[marker-end]")];
                      const threads = [...document.querySelectorAll(".v.cycle rect")];
                      return Boolean(document.querySelector("#cycle")) && edges.length === 2 && threads.length === 2
                        && [...edges, ...threads].every((e) => getComputedStyle(e).stroke === red)
                        && document.querySelector(".graph svg").ariaLabel.includes("billing@two");
                      """)));
      browser.awaitText("these threads wait for each other");
      assertThat(deadlock.names()).containsExactly("left", "right");
      assertThat(browser.problems()).isEmpty();
    }
  }

  @Test
  void aStoreThatIsNotThereYetIsShownWhenItIs() throws Exception {
    int port;
    try (RedisServer redis = RedisServer.start()) {
      port = redis.port();
      redis.kill();
      String store = "redis://127.0.0.1:" + port;
      try (Fixture console = Fixture.start(store, Fixture.OPERATOR)) {
        browser.open(console.link());
        browser.find("#store-gone");
        redis.startAgain();
        browser.awaitText("Nobody holds a lock");
        browser.await("banner", () -> browser.all("#store-gone").isEmpty());
      }
    }
    Path file = directory.resolve("none/locks.db");
    try (Fixture console = Fixture.start("sqlite:" + file, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("This store does not exist yet");
      java.nio.file.Files.createDirectories(file.getParent());
      try (Pawl pawl = Pawl.connect("sqlite:" + file)) {
        held.add(pawl.lock("first").acquire());
        browser.find("[data-name='first']");
        browser.awaitNoText("This store does not exist yet");
      }
    }
  }

  /** Ages and bars go by the store's clock, whatever that of the browser shows. */
  @Test
  void aBrowserWhoseClockIsAnHourOffShowsTheSame() throws Exception {
    for (int hours : new int[] {1, -1}) {
      String script =
          "const real = Date.now.bind(Date); Date.now = () => real() + 3600000 * " + hours + ";";
      Object id =
          browser
              .driver()
              .executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", script))
              .get("identifier");
      String url = "sqlite:" + directory.resolve("clock" + hours + ".db");
      try (Pawl pawl = Pawl.builder(url).label("app@one").build();
          Lease lease = pawl.lock("seen").acquire();
          Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
        browser.open(console.link());
        browser.await(
            "an age of an hour",
            () -> browser.find(".c-since [data-since]").getText().matches("\\d\\d? s"));
        browser.await(
            "a lease of an hour",
            () -> browser.find("[data-name='seen'] .lease span").getText().matches("\\d\\d? s"));
        browser.await("a bar of another time", () -> isBetween(0.2, part(), 1));
        assertThat(lease.isHeld()).isTrue();
      } finally {
        browser
            .driver()
            .executeCdpCommand(
                "Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", id));
      }
    }
  }

  private static boolean isBetween(double least, double part, double most) {
    return least <= part && part <= most;
  }

  /** What the bar shows of the lease. */
  private static double part() {
    return ((Number)
            browser.run(
                "return new DOMMatrix(getComputedStyle(document.querySelector('.meter i'))"
                    + ".transform).a"))
        .doubleValue();
  }

  @Test
  void anOldLinkSaysWhatToDo() throws Exception {
    try (Fixture console = Fixture.start("memory:", Fixture.OPERATOR)) {
      browser.open(console.url() + "open?token=of-yesterday");
      browser.awaitText("each start of it has another one");
      browser.open(console.link());
      browser.awaitText("Nobody holds a lock");
    }
  }
}
