package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.PostgresServer;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The figures of the guide, in milliseconds: how soon a change shows, and whether the page stutters
 * with 10,000 names and 200 changes a second. For a machine that does nothing else:
 *
 * <pre>mvn -pl tools/console -am test -Dtest=FiguresTest -Dpawl.long=true \
 *   -Dsurefire.failIfNoSpecifiedTests=false</pre>
 */
@EnabledIfSystemProperty(
    named = "pawl.long",
    matches = "true",
    disabledReason = "milliseconds are measured with -Dpawl.long=true; LiveTest counts")
class FiguresTest {

  private static final int NAMES = 10_000;
  private static final int CHANGES = 200;

  /** As many names of the measurement are held at a time: they are all in the window. */
  private static final int HELD = 15;

  @TempDir Path directory;

  /** A read of so many names takes its time, and the store is not asked again at once. */
  private static final int MOST_MILLIS = 1_000;

  private static final int MOST_MILLIS_OF_MANY = 2_000;

  @Test
  void aChangeShowsWithinASecondAndOfTenThousandNamesWithinTwo() throws Exception {
    try (Browser browser = Browser.start("en")) {
      shows("SQLite", browser, "sqlite:" + directory.resolve("locks.db"), MOST_MILLIS);
      try (PostgresServer postgres = PostgresServer.start("fsync=off")) {
        shows("PostgreSQL", browser, postgres.url(), MOST_MILLIS);
      }
      try (RedisServer redis = RedisServer.start()) {
        shows("Redis", browser, redis.url(), MOST_MILLIS);
        try (BusyStore busy = new BusyStore(redis.url(), NAMES)) {
          busy.change();
          shows("Redis, with " + NAMES + " names", browser, redis.url(), MOST_MILLIS_OF_MANY);
          assertThat(busy.changes()).isPositive();
        }
      }
    }
  }

  private static void shows(String store, Browser browser, String url, int most) throws Exception {
    Measurement.whereNothingStalls(
        () -> {
          List<Double> millis = changes(browser, url);
          System.out.printf(
              "%s: %d changes showed after %.0f ms in the middle, %.0f ms at 99 %%, %.0f ms at"
                  + " most%n",
              store, millis.size(), part(millis, .5), part(millis, .99), part(millis, 1));
          assertThat(part(millis, 1)).as(store).isLessThan(most);
        });
  }

  /** Takes and releases names, at times that have nothing to do with the console's reads. */
  private static List<Double> changes(Browser browser, String url) throws Exception {
    Map<String, Double> begun = new HashMap<>();
    try (Pawl pawl = Pawl.builder(url).label("app@two").build();
        Fixture console = Fixture.start(url, Fixture.OPERATOR);
        Lease first = pawl.lock("a first").acquire()) {
      browser.open(console.link());
      browser.find("[data-name='" + first.name() + "']");
      browser.run(
          """
          window.seen = {};
          const names = () => new Set([...document.querySelectorAll('[data-name^="a:"]')].map((e) => e.dataset.name));
          let before = names();
          new MutationObserver(() => requestAnimationFrame(() => {
            const now = performance.timeOrigin + performance.now();
            const after = names();
            for (const name of after) if (!before.has(name)) seen[`+${name}`] ??= now;
            for (const name of before) if (!after.has(name)) seen[`-${name}`] ??= now;
            before = after;
          })).observe(document.querySelector(".space"), {childList: true});
          """);
      Random random = new Random(7);
      Deque<Lease> held = new ArrayDeque<>();
      for (int i = 0; i < CHANGES / 2 + HELD; i++) {
        // At 150 ms each, and ten of them before a name is released, it has been seen by then.
        LockSupport.parkNanos(random.nextLong(100_000_000L, 200_000_000L));
        if (i < CHANGES / 2) {
          String name = "a:%04d".formatted(i);
          begun.put("+" + name, millis());
          held.add(pawl.lock(name).acquire());
        }
        if (i >= HELD) {
          Lease lease = held.remove();
          begun.put("-" + lease.name(), millis());
          lease.close();
        }
      }
      browser.await("not all are seen", () -> seen(browser).keySet().containsAll(begun.keySet()));
    }
    Map<?, ?> seen = seen(browser);
    List<Double> millis = new ArrayList<>();
    begun.forEach((change, at) -> millis.add(((Number) seen.get(change)).doubleValue() - at));
    millis.sort(null);
    return millis;
  }

  private static Map<?, ?> seen(Browser browser) {
    return (Map<?, ?>) browser.run("return seen");
  }

  /** The browser is on this machine, and has the same clock. */
  private static double millis() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()) / 1e3;
  }

  private static double part(List<Double> sorted, double part) {
    return sorted.get((int) Math.ceil((sorted.size() - 1) * part));
  }

  @Test
  void tenThousandNamesWithTwoHundredChangesASecondStayUnder50MsAFrame() throws Exception {
    try (RedisServer redis = RedisServer.start();
        Browser browser = Browser.start("en");
        BusyStore busy = new BusyStore(redis.url(), NAMES);
        Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText(NAMES + " in use");
      busy.change();
      Measurement.whereNothingStalls(() -> frames(browser, busy));
    }
  }

  private static void frames(Browser browser, BusyStore busy) {
    browser.run("scrollTo(0, 0)");
    browser.find("[data-name='name:00000']");
    browser.run(
        """
        // Those of an earlier round write into their own.
        const mine = window.work = {tasks: [], frames: [], updates: 0};
        new PerformanceObserver((list) => list.getEntries().forEach((e) => mine.tasks.push(e.duration)))
          .observe({type: "longtask"});
        new MutationObserver(() => mine.updates++)
          .observe(document.querySelector(".space"), {childList: true, subtree: true, characterData: true});
        let last = 0;
        requestAnimationFrame(function frame(at) {
          if (last) mine.frames.push(at - last);
          last = at;
          if (window.work === mine) requestAnimationFrame(frame);
        });
        """);
    long start = System.nanoTime();
    int first = busy.changes();
    // Somebody who looks, and then somebody who scrolls.
    await(browser, busy, first + 2_000);
    for (int i = 1; i <= 20; i++) {
      browser.run("scrollTo(0, arguments[0])", i * NAMES);
      await(browser, busy, first + 2_000 + 50 * i);
    }
    double rate = (busy.changes() - first) * 1e9 / (System.nanoTime() - start);
    List<Double> frames = numbers(browser, "work.frames");
    List<Double> tasks = numbers(browser, "work.tasks");
    System.out.printf(
        "%d names, %.0f changes a second, %s updates of the page: %d frames, %.0f ms in the middle,"
            + " %.0f ms at 99 %%, %.0f ms at most; tasks of 50 ms and more: %s%n",
        NAMES,
        rate,
        browser.run("return work.updates"),
        frames.size(),
        part(frames, .5),
        part(frames, .99),
        part(frames, 1),
        tasks);
    assertThat(rate).isGreaterThan(BusyStore.CHANGES_A_SECOND * .95);
    assertThat(tasks).isEmpty();
    assertThat(part(frames, 1)).isLessThan(50);
  }

  private static void await(Browser browser, BusyStore busy, int changes) {
    long end = System.nanoTime() + Duration.ofMinutes(1).toNanos();
    while (busy.changes() < changes) {
      assertThat(System.nanoTime()).as(browser.text()).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static List<Double> numbers(Browser browser, String expression) {
    return ((List<?>) browser.run("return [..." + expression + "]"))
        .stream().map(each -> ((Number) each).doubleValue()).sorted().toList();
  }
}
