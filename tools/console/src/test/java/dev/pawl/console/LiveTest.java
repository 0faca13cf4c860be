package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How soon a change shows, and how smooth it is: in reads of the store and in work for the browser,
 * which are the same on every machine. {@link FiguresTest} measures milliseconds.
 */
class LiveTest {

  private static final int NAMES = 2_000;
  private static final int CHANGES = 400;

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
              BufferedReader events = console.events("locks")) {
            AtomicInteger names = new AtomicInteger();
            for (int i = 0; i < 5; i++) {
              // A page whose thread stands still is told of a later read, and not of those between.
              Measurement.whereNothingStalls(
                  () -> {
                    try (Lease lease = pawl.lock("n" + names.incrementAndGet()).acquire()) {
                      // Each that begins from now on has to find it.
                      long begun = console.watch.locks().reads();
                      assertThat(readWith(events, lease.name())).as(store).isBetween(1L, begun + 1);
                    }
                  });
            }
          }
        });
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
  void thousandsOfNamesWithTwoHundredChangesASecondAreOneUpdateForARead() throws Exception {
    try (RedisServer redis = RedisServer.start();
        Browser browser = Browser.start("en");
        BusyStore busy = new BusyStore(redis.url(), NAMES);
        Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText(NAMES + " in use");
      busy.change();
      watch(browser, busy);
    }
  }

  private static void watch(Browser browser, BusyStore busy) {
    browser.find("[data-name='name:00000']");
    browser.run(
        """
        window.work = {most: 0, updates: 0};
        new MutationObserver((all) => {
          work.updates++;
          work.most = Math.max(work.most, all.length);
        }).observe(document.querySelector(".space"), {childList: true, subtree: true, characterData: true, attributes: true});
        """);
    for (int i = 0; i < 10; i++) {
      browser.run("scrollTo(0, arguments[0])", i < 8 ? 0 : i * NAMES);
      int seen = busy.changes();
      browser.await("no changes", () -> busy.changes() > seen + CHANGES / 10);
      assertThat(number(browser, "document.querySelectorAll('[data-name]').length"))
          .isBetween(10.0, (double) MOST_ROWS);
    }
    // However many names there are and however fast they change: one update for a read (and the
    // seconds that go on in it), and in it the rows that are there.
    assertThat(number(browser, "work.updates")).isPositive();
    assertThat(number(browser, "work.most"))
        .isBetween(1.0, (double) MOST_ROWS * MOST_TOUCHES_OF_A_ROW);
  }

  private static double number(Browser browser, String expression) {
    return ((Number) browser.run("return " + expression)).doubleValue();
  }
}
