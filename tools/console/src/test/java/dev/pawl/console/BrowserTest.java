package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.console.access.LinkAccess;
import dev.pawl.console.access.PasswordAccess;
import dev.pawl.console.access.Role;
import dev.pawl.console.access.Sessions;
import dev.pawl.console.access.UsersFile;
import dev.pawl.testservers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a person sees and does, in a real browser. */
class BrowserTest {

  private static final String[] PAGES = {"locks", "jobs", "nodes", "graph", "store", "audit"};

  /** What the page has asked for that has ended: not the events, which go on. */
  private static final String REQUESTS = "return performance.getEntriesByType('resource').length";

  private static Browser browser;

  @TempDir Path directory;

  /** Kept, since a lease whose handle nobody has ends. */
  private final List<Lease> held = new ArrayList<>();

  private String url;

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

  @BeforeEach
  void makeStore() {
    url = "sqlite:" + directory.resolve("locks.db");
    Pawl.connect(url).close();
    browser.problems();
  }

  private Pawl node(String label) {
    return Pawl.builder(url).label(label).build();
  }

  @Test
  void aLockShowsUpAndGoesAsItIsTakenAndReleased() throws Exception {
    try (Pawl pawl = node("app@one");
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("Nobody holds a lock");
      assertThat(browser.driver().getCurrentUrl()).doesNotContain("token");
      Object asked = browser.run(REQUESTS);
      Lease lease = pawl.lock("invoice:42").acquire();
      browser.find("[data-name='invoice:42']");
      browser.awaitText("app@one");
      browser.awaitText("1 in use");
      lease.close();
      browser.awaitText("Nobody holds a lock");
      // It is told, and does not ask.
      assertThat(browser.run(REQUESTS)).isEqualTo(asked);
      assertThat(browser.problems()).isEmpty();
    }
  }

  @Test
  void theFilterAndTheOrderFollowThePerson() throws Exception {
    try (Pawl one = node("app@one");
        Pawl two = node("app@two");
        Lease a = one.lock("apple").acquire();
        Lease b = two.lock("banana").acquire();
        Lease c = one.lock("cherry").acquire();
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("3 in use");
      browser.type("#filter", "ban");
      browser.awaitText("1 of 3");
      browser.awaitNoText("cherry");
      browser.run("document.getElementById('filter').value = ''");
      browser.type("#filter", "TWO");
      browser.awaitText("1 of 3");
      browser.type("#filter", "nothing");
      browser.awaitText("Nothing matches");
      browser.click("main .empty button");
      browser.awaitText("3 in use");
      // More than the console takes, pasted by mistake, is no server that has gone.
      browser.type("#filter", "x".repeat(400));
      browser.awaitText("Nothing matches");
      browser.click("main .empty button");
      browser.awaitText("3 in use");
      browser.click("[data-sort='name']");
      browser.await("order", () -> first().equals("cherry"));
      browser.click("[data-sort='name']");
      browser.await("order", () -> first().equals("apple"));
      assertThat(List.of(a.isHeld(), b.isHeld(), c.isHeld())).containsOnly(true);
    }
  }

  private static String first() {
    return String.valueOf(
        browser.run("return document.querySelector('[aria-rowindex=\"2\"]')?.dataset.name ?? ''"));
  }

  @Test
  void anOperatorReleasesByForce() throws Exception {
    try (Pawl pawl = node("app@one");
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      Lease lease = pawl.lock("stuck/with a slash").acquire();
      browser.open(console.link());
      browser.go("locks/stuck%2Fwith%20a%20slash");
      browser.click("[data-release='" + lease.token() + "']");
      browser.awaitText("app@one loses the lock at once");
      assertThat(browser.find("dialog").getText()).contains("app@one", "" + lease.token());
      browser.type("#reason", "it hangs");
      browser.click("#confirm");
      browser.awaitText("Nobody holds it, and nobody waits for it.");
      browser.awaitText("it hangs");
      assertThat(console.watch.inspector().find("stuck/with a slash").orElseThrow().holders())
          .isEmpty();
      browser.go("audit");
      browser.awaitText(Fixture.OPERATOR.name());
      browser.awaitText("it hangs");
      assertThat(browser.problems()).isEmpty();
    }
  }

  @Test
  void aReleaseIsRefusedAfterTheHolderHasChanged() throws Exception {
    try (Pawl pawl = node("app@one");
        Pawl other = node("app@two");
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      Lease seen = pawl.lock("stuck").acquire();
      browser.open(console.link());
      browser.go("locks/stuck");
      browser.click("[data-release='" + seen.token() + "']");
      browser.type("#reason", "too late");
      seen.close();
      try (Lease next = other.lock("stuck").acquire()) {
        browser.click("#confirm");
        browser.awaitText("The holder has changed meanwhile, so nothing was released.");
        browser.awaitText("app@two holds it with token " + next.token());
        assertThat(next.isHeld()).isTrue();
        assertThat(console.watch.inspector().find("stuck").orElseThrow().holders()).hasSize(1);
      }
    }
  }

  @Test
  void aViewerHasNoButtonsAndIsRefusedIfHeAsksAnyway() throws Exception {
    try (Pawl pawl = node("app@one");
        Lease lease = pawl.lock("kept").acquire();
        Fixture console = Fixture.start(url, Fixture.VIEWER)) {
      browser.open(console.link());
      browser.go("locks/kept");
      browser.find("[data-token='" + lease.token() + "']");
      assertThat(browser.all("[data-release]")).isEmpty();
      Object status =
          browser
              .driver()
              .executeAsyncScript(
                  "const done = arguments[1];"
                      + "fetch('api/v1/session').then(r => r.json()).then(s =>"
                      + " fetch('api/v1/locks/kept/release', {method: 'POST', headers:"
                      + " {'Content-Type': 'application/json', 'X-Pawl-Csrf': s.csrfToken},"
                      + " body: JSON.stringify({token: arguments[0], reason: 'x'})}))"
                      + ".then(r => done(r.status))",
                  "" + lease.token());
      assertThat(status).isEqualTo(403L);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // They wait until the node is closed.
  void hostileNamesStayTextOnEveryPage() throws Exception {
    List<String> names =
        List.of(
            "<script>window.hacked=1</script>",
            "\"><img src=x onerror=window.hacked=1>",
            "\u202egnp.exe",
            " leading and\u200bunseen ",
            "ä".repeat(127) + "!",
            "🔒👩‍👩‍👧‍👦",
            "javascript:window.hacked=1",
            "{{constructor}}${1}%3Cb%3E");
    String label = "<svg onload=window.hacked=1>@h'\"&";
    try (Pawl pawl = node(label);
        Pawl waiter = node("'\"><script>window.hacked=1</script>");
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      for (String name : names) {
        held.add(pawl.lock(name).acquire());
        waiter.lock(name).acquireAsync(Duration.ofMinutes(5));
      }
      pawl.job("<b>job</b>")
          .run(
              java.time.Instant.now(),
              run -> {
                throw new IllegalStateException("<img src=x onerror=window.hacked=1>");
              });
      Lease gone = pawl.lock("<i>gone</i>").acquire();
      pawl.inspector().forceRelease("<i>gone</i>", gone.token(), "<u>me</u>", "<s>why</s>");
      browser.open(console.link());
      for (String page : PAGES) {
        browser.go(page);
        browser.find("main h1");
        browser.awaitNoText("Reading the store");
        assertSafe(page);
      }
      for (String name : names) {
        browser.go(
            "locks/"
                + java.net.URLEncoder.encode(name, StandardCharsets.UTF_8).replace("+", "%20"));
        browser.find("[data-release]");
        assertThat(browser.run("return document.querySelector('h1').textContent")).isEqualTo(name);
        assertSafe(name);
      }
      // What nobody sees is shown: two names that differ in it do not look alike.
      browser.go("locks");
      for (String code : List.of("U+202E", "U+200B", "␣")) {
        browser.find(".c-name .unseen[data-code='" + code + "']");
      }
      browser.go("locks/javascript%3Awindow.hacked%3D1");
      browser.click("[data-release]");
      browser.find("#confirm");
      assertSafe("dialog");
      browser.go("audit");
      browser.awaitText("<s>why</s>");
      browser.go("jobs");
      browser.awaitText("<b>job</b>");
      assertThat(browser.problems()).isEmpty();
    }
  }

  private static void assertSafe(String where) {
    assertThat(browser.run("return window.hacked ?? 0")).as(where).isEqualTo(0L);
    assertThat(
            browser.all("main script, main img, main b b, main [onload], main [onerror], main u"))
        .as(where)
        .isEmpty();
  }

  @Test
  void aSessionThatEndsAsksToSignInAgain() throws Exception {
    Path users = directory.resolve("users");
    Files.writeString(users, UsersFile.line("olga", Role.OPERATOR, "secret".toCharArray()));
    PasswordAccess access = new PasswordAccess(UsersFile.read(users));
    Hands clock = new Hands();
    Sessions sessions = new Sessions(Sessions.newKey(), Duration.ofHours(1), clock);
    try (Pawl pawl = node("app@one");
        Lease lease = pawl.lock("seen").acquire();
        Fixture console =
            Fixture.start(() -> Pawl.builder(url).existingStore().build(), access, sessions, 0)) {
      browser.open(console.url());
      browser.type("#user", "olga");
      browser.type("#password", "wrong");
      browser.click("form button");
      browser.awaitText("The name or the password is wrong.");
      browser.type("#password", "secret");
      browser.click("form button");
      browser.find("[data-name='seen']");
      clock.putForward(3_600);
      browser.find("#password");
      assertThat(browser.all("[data-name='seen']")).isEmpty();
      browser.type("#user", "olga");
      browser.type("#password", "secret");
      browser.click("form button");
      browser.find("[data-name='seen']");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  /**
   * Starts one on a port that is none of those which the system gives to connections: while the
   * server is down, one of them could take it.
   */
  private Fixture onAPortThatStaysFree(LinkAccess access, Sessions sessions) throws IOException {
    for (int port = 28_000 + (int) (ProcessHandle.current().pid() % 4_000); ; port++) {
      try {
        return Fixture.start(
            () -> Pawl.builder(url).existingStore().build(), access, sessions, port);
      } catch (IOException e) {
        assertThat(port).as(e.toString()).isLessThan(32_700); // It is taken.
      }
    }
  }

  @Test
  void thePageSaysThatTheServerIsGoneAndGoesOnWhenItIsBack() throws Exception {
    LinkAccess access = new LinkAccess(Fixture.OPERATOR);
    Sessions sessions = Fixture.sessions(Duration.ofHours(1));
    try (Pawl pawl = node("app@one");
        Lease before = pawl.lock("before").acquire()) {
      Fixture first = onAPortThatStaysFree(access, sessions);
      int port = first.port();
      browser.open(first.link());
      browser.find("[data-name='before']");
      first.close();
      browser.find("#server-gone");
      browser.find("[data-name='before']");
      try (Fixture second =
              Fixture.start(
                  () -> Pawl.builder(url).existingStore().build(), access, sessions, port);
          Lease after = pawl.lock("after").acquire()) {
        browser.find("[data-name='after']");
        browser.await("banner", () -> browser.all("#server-gone").isEmpty());
        assertThat(second.port()).isEqualTo(port);
        assertThat(before.isHeld() && after.isHeld()).isTrue();
      }
    }
  }

  @Test
  void thePageSaysThatTheStoreIsGoneAndGoesOnWhenItIsBack() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      try (Pawl pawl = Pawl.builder(redis.url()).label("app@one").build();
          Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
        held.add(pawl.lock("before").acquire());
        browser.open(console.link());
        browser.find("[data-name='before']");
        redis.kill();
        browser.find("#store-gone");
        redis.startAgain();
        browser.await("banner", () -> browser.all("#store-gone").isEmpty());
        // By a node of its own: the other one may not have noticed yet that the store is back.
        try (Pawl next = Pawl.builder(redis.url()).label("app@two").build();
            Lease lease = next.lock("after").acquire()) {
          browser.find("[data-name='" + lease.name() + "']");
        }
      }
    }
  }

  @Test
  void bothLanguagesAndBothThemesAreKept() throws Exception {
    try (Pawl pawl = node("app@one");
        Lease lease = pawl.lock("seen").acquire();
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("Lease left");
      Object light = background();
      browser.click("#theme");
      assertThat(background()).isNotEqualTo(light);
      browser.click("#language");
      browser.awaitText("租约剩余");
      assertThat(browser.find("html").getDomAttribute("lang")).isEqualTo("zh-CN");
      browser.driver().navigate().refresh();
      browser.awaitText("租约剩余");
      assertThat(background()).isNotEqualTo(light);
      for (String page : PAGES) {
        browser.go(page);
        browser.find("main h1");
        assertThat(browser.text()).doesNotContain("undefined", "NaN");
      }
      browser.run("localStorage.clear()");
      assertThat(lease.isHeld()).isTrue();
    }
  }

  private static Object background() {
    return browser.run("return getComputedStyle(document.body).backgroundColor");
  }

  @Test
  void axeFindsNothingSerious() throws Exception {
    String axe;
    try (InputStream in =
        getClass().getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      axe = new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
    try (Scene scene = Scene.ordinaryDay(url);
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("nightly-backup");
      for (String theme : new String[] {"light", "dark"}) {
        for (String page :
            new String[] {
              "locks", "jobs", "nodes", "graph", "store", "audit", "locks/report%3Amonthly"
            }) {
          browser.go(page);
          browser.find("main h1");
          browser.awaitNoText("Reading the store");
          assertThat(serious(axe)).as(theme + " " + page).isEqualTo("[]");
        }
        browser.click("[data-release]");
        browser.find("#confirm");
        assertThat(serious(axe)).as(theme + " dialog").isEqualTo("[]");
        browser.run("document.querySelector('dialog').close()");
        browser.click("#theme");
      }
      browser.run("localStorage.clear()");
      assertThat(scene).isNotNull();
    }
  }

  private static String serious(String axe) {
    browser.run("if (!window.axe) { " + axe + " }");
    return String.valueOf(
        browser
            .driver()
            .executeAsyncScript(
                "const done = arguments[0];"
                    + "axe.run(document).then(r => done(JSON.stringify(r.violations"
                    + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
                    + ".map(v => [v.id, v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.any.map(a => a.message).join(';'))]))),"
                    + " e => done('' + e))"));
  }
}
