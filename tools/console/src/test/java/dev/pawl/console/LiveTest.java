package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * How soon a change shows, and how smooth it is: in reads of the store and in work for the browser,
 * which are the same on every machine; with {@code -Dpawl.long=true} in milliseconds as well.
 */
class LiveTest {

  private static final boolean LONG = Boolean.getBoolean("pawl.long");
  private static final int NAMES = LONG ? 10_000 : 2_000;
  private static final int CHANGES = LONG ? 3_000 : 400;

  /** More rows than a window has, and the few around it that are ready to be scrolled to. */
  private static final int MOST_ROWS = 90;

  /** What is touched for a row that has changed: texts, a bar, a class, what holds them. */
  private static final int MOST_TOUCHES_OF_A_ROW = 14;

  @TempDir Path directory;

  private interface OnAStore {
    void run(String name, String url) throws Exception;
  }

  private void onEachStore(OnAStore test) throws Exception {
    test.run("SQLite", "sqlite:" + directory.resolve("locks.db"));
    try (RedisServer redis = RedisServer.start()) {
      test.run("Redis", redis.url());
    }
    try (PostgresServer postgres = PostgresServer.start("fsync=off")) {
      test.run("PostgreSQL", postgres.url());
    }
  }

  @Test
  void aChangeIsInTheNextReadOfTheStore() throws Exception {
    onEachStore(
        (store, url) -> {
          try (Pawl pawl = Pawl.builder(url).label("app@one").build();
              Fixture console = Fixture.start(url, Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
              BufferedReader events = events(console)) {
            for (int i = 0; i < 5; i++) {
              try (Lease lease = pawl.lock("n" + i).acquire()) {
                // Each that begins from now on has to find it.
                long begun = console.watch.locks().reads();
                assertThat(readWith(events, lease.name())).as(store).isBetween(1L, begun + 1);
              }
            }
          }
        });
  }

  private static BufferedReader events(Fixture console) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(console.url() + "api/v1/events?view=locks"))
            .header("Cookie", console.cookie())
            .build();
    return new BufferedReader(
        new InputStreamReader(
            HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofInputStream())
                .body(),
            StandardCharsets.UTF_8));
  }

  /** Returns the number of the read by which a name is shown for the first time. */
  private static long readWith(BufferedReader events, String name) throws Exception {
    while (true) {
      String line = events.readLine();
      if (line.startsWith("data: {\"now\"")) {
        JsonObject message = JsonParser.parseString(line.substring(6)).getAsJsonObject();
        if (message.get("rows").toString().contains("\"" + name + "\"")) {
          return message.get("read").getAsLong();
        }
      }
    }
  }

  @Test
  @EnabledIfSystemProperty(
      named = "pawl.long",
      matches = "true",
      disabledReason = "milliseconds are measured with -Dpawl.long=true")
  void aChangeShowsWithinASecond() throws Exception {
    try (Browser browser = Browser.start("en")) {
      onEachStore(
          (store, url) ->
              Measurement.whereNothingStalls(
                  () -> {
                    List<Long> millis = changes(browser, url);
                    System.out.printf(
                        "%s: a change showed in the browser after %d ms at most, %d in the middle%n",
                        store, millis.get(millis.size() - 1), millis.get(millis.size() / 2));
                    assertThat(millis).allMatch(each -> each < 1_000);
                  }));
    }
  }

  private static List<Long> changes(Browser browser, String url) throws Exception {
    List<Long> millis = new ArrayList<>();
    try (Pawl pawl = Pawl.builder(url).label("app@one").build();
        Fixture console = Fixture.start(url, Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("Nobody holds a lock");
      for (int i = 0; i < 20; i++) {
        long start;
        try (Lease lease = pawl.lock("n" + i).acquire()) {
          start = System.nanoTime();
          browser.find("[data-name='" + lease.name() + "']");
        }
        millis.add((System.nanoTime() - start) / 1_000_000);
      }
    }
    millis.sort(null);
    return millis;
  }

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the executor.
  void thousandsOfNamesWithTwoHundredChangesASecondDoNotStutter() throws Exception {
    ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor();
    try (RedisServer redis = RedisServer.start();
        Browser browser = Browser.start("en");
        Pawl pawl =
            Pawl.builder(redis.url())
                .label("app@one")
                .defaults(LockOptions.DEFAULT.withLease(Duration.ofMinutes(30)))
                .build();
        Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
      List<CompletableFuture<Lease>> leases = new ArrayList<>();
      for (int i = 0; i < NAMES; i++) {
        leases.add(pawl.lock("name:%05d".formatted(i)).acquireAsync(Duration.ofMinutes(2)));
        if (i % 200 == 199) {
          leases.get(i).join(); // Not all at once: the server is one thread.
        }
      }
      leases.forEach(CompletableFuture::join);
      browser.open(console.link());
      browser.awaitText(NAMES + " in use");
      AtomicInteger next = new AtomicInteger();
      // The names in the window above all: each change is one that is drawn.
      clock.scheduleAtFixedRate(
          () -> {
            int i = next.getAndIncrement() % 60;
            leases.get(i).join().close();
            leases.set(i, pawl.lock("name:%05d".formatted(i)).acquireAsync(Duration.ofMinutes(2)));
            leases.get(i).join();
          },
          0,
          5,
          TimeUnit.MILLISECONDS);
      Measurement.whereNothingStalls(() -> watch(browser, console, next));
    } finally {
      clock.shutdownNow();
    }
  }

  private static void watch(Browser browser, Fixture console, AtomicInteger next) {
    browser.run("scrollTo(0, 0)");
    browser.find("[data-name='name:00000']");
    browser.run(
        """
        window.work = {longest: 0, touches: 0, most: 0, updates: 0, frames: []};
        new PerformanceObserver((list) => list.getEntries().forEach((e) =>
          work.longest = Math.max(work.longest, e.duration))).observe({type: "longtask"});
        new MutationObserver((all) => {
          work.updates++; work.touches += all.length; work.most = Math.max(work.most, all.length);
        }).observe(document.querySelector(".space"), {childList: true, subtree: true, characterData: true, attributes: true});
        let last = performance.now();
        requestAnimationFrame(function f(t) { work.frames.push(t - last); last = t; requestAnimationFrame(f); });
        """);
    long reads = console.watch.locks().reads();
    int first = next.get();
    for (int i = 0; i < 10; i++) {
      browser.run("scrollTo(0, arguments[0])", i < 8 ? 0 : i * NAMES);
      int seen = next.get();
      browser.await("no changes", () -> next.get() > seen + CHANGES / 10);
      assertThat(number(browser, "document.querySelectorAll('[data-name]').length"))
          .isBetween(10.0, (double) MOST_ROWS);
    }
    int changes = next.get() - first;
    long read = console.watch.locks().reads() - reads + 1;
    double longest = number(browser, "work.longest");
    double slow =
        number(browser, "work.frames.sort((a, b) => a - b)[Math.floor(work.frames.length * .99)]");
    System.out.printf(
        "%d names, %d changes in %d reads: %.0f updates of the page with %.0f touches at most;"
            + " its longest task took %.0f ms (0: none of 50), 99 %% of the frames came in %.0f ms%n",
        NAMES,
        changes,
        read,
        number(browser, "work.updates"),
        number(browser, "work.most"),
        longest,
        slow);
    // However many names there are and however fast they change: one update for a read (and the
    // seconds that go on in it), and in it the rows that are there.
    assertThat(number(browser, "work.most"))
        .isBetween(1.0, (double) MOST_ROWS * MOST_TOUCHES_OF_A_ROW);
    if (LONG) {
      assertThat(longest).isLessThan(50);
      assertThat(slow).isLessThan(50);
    }
  }

  private static double number(Browser browser, String expression) {
    return ((Number) browser.run("return " + expression)).doubleValue();
  }
}
