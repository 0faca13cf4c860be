package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.testservers.RedisServer;
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

/** How smooth it is, which says something on a quiet machine alone. */
@EnabledIfSystemProperty(
    named = "pawl.long",
    matches = "true",
    disabledReason = "times are measured with -Dpawl.long=true, on a quiet machine")
class LiveTest {

  private static final int NAMES = 10_000;

  @Test
  @SuppressWarnings("FutureReturnValueIgnored") // It ends with the executor.
  void tenThousandNamesWithTwoHundredChangesASecondDoNotStutter() throws Exception {
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
      browser.run(
          "window.longest = 0;"
              + "new PerformanceObserver(l => l.getEntries().forEach(e =>"
              + " window.longest = Math.max(window.longest, e.duration))).observe({type: 'longtask'});"
              + "window.frames_ = []; let last = performance.now();"
              + "requestAnimationFrame(function f(t) { frames_.push(t - last); last = t;"
              + " requestAnimationFrame(f); });");
      for (int i = 0; i < 10; i++) {
        browser.run("scrollTo(0, arguments[0])", i < 5 ? 0 : i * 9_000);
        int seen = next.get();
        browser.await("no changes", () -> next.get() > seen + 150);
      }
      double longest = ((Number) browser.run("return window.longest")).doubleValue();
      double slow =
          ((Number)
                  browser.run(
                      "frames_.sort((a, b) => a - b); return frames_[Math.floor(frames_.length * .99)]"))
              .doubleValue();
      System.out.printf(
          "%d changes; the longest task of the page took %.0f ms (0: none of 50 ms), 99 %% of the"
              + " frames came within %.0f ms%n",
          next.get(), longest, slow);
      assertThat(longest).isLessThan(50);
    } finally {
      clock.shutdownNow();
    }
  }

  @Test
  void aChangeShowsWithinASecond() throws Exception {
    try (RedisServer redis = RedisServer.start();
        Browser browser = Browser.start("en");
        Pawl pawl = Pawl.builder(redis.url()).label("app@one").build();
        Fixture console = Fixture.start(redis.url(), Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.awaitText("Nobody holds a lock");
      List<Long> millis = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        long start = System.nanoTime();
        try (Lease lease = pawl.lock("n" + i).acquire()) {
          browser.find("[data-name='" + lease.name() + "']");
        }
        millis.add((System.nanoTime() - start) / 1_000_000);
      }
      System.out.println("a change showed after these milliseconds: " + millis);
      assertThat(millis).allMatch(each -> each < 1_000);
    }
  }
}
