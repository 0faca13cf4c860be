package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.console.watch.Await;
import dev.pawl.testservers.RedisServer;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What the console costs the store: as much for fifty pages as for one, counted at the server. */
class LoadTest {

  private static final int NAMES = Boolean.getBoolean("pawl.long") ? 10_000 : 2_000;
  private static final int PAGES = 50;

  private static final int READS = 20;

  @Test
  void fiftyPagesCostTheStoreWhatOneCosts() throws Exception {
    try (RedisServer redis = RedisServer.start();
        BusyStore busy = new BusyStore(redis.url(), NAMES)) {
      try (Fixture console =
          Fixture.start(redis.url(), Fixture.OPERATOR).signedIn(Fixture.OPERATOR)) {
        List<InputStream> pages = new ArrayList<>();
        pages.add(open(console, 0));
        double one = cost(redis, console);
        while (pages.size() < PAGES) {
          pages.add(open(console, pages.size()));
        }
        Await.until(() -> console.servlet.openPages() == PAGES);
        double fifty = cost(redis, console);
        System.out.printf(
            "commands at the store for a read of %d names: %.1f with 1 page, %.1f with %d pages%n",
            NAMES, one, fifty, PAGES);
        // At the beginning and at the end a read may be under way, and be counted in part.
        assertThat(fifty).isLessThanOrEqualTo(one * 1.1 + 2 * one / READS);
        for (InputStream page : pages) {
          page.close();
        }
        long before = console.watch.locks().reads();
        Await.until(() -> console.servlet.openPages() == 0);
        // Nobody looks, so nobody asks: two reads at most were on their way.
        Await.until(() -> console.watch.locks().watched() == 0);
        assertThat(console.watch.locks().reads()).isLessThan(before + 60);
        assertThat(busy.changes()).isZero();
      }
    }
  }

  /** Returns how many commands the server got for a read, over several of them. */
  private static double cost(RedisServer redis, Fixture console) throws Exception {
    long next = console.watch.locks().reads() + 1;
    Await.until(() -> console.watch.locks().reads() > next);
    redis.resetStatistics();
    long start = console.watch.locks().reads();
    long startNanos = System.nanoTime();
    for (int i = 1; i <= READS; i++) {
      long read = start + i;
      Await.until(() -> console.watch.locks().reads() >= read);
    }
    Map<String, Long> counts = redis.commandCounts();
    long reads = console.watch.locks().reads() - start;
    // However many look, the pace is the same.
    assertThat(System.nanoTime() - startNanos).isGreaterThan((reads - 2) * 380_000_000L);
    return (double) counts.values().stream().mapToLong(each -> each).sum() / reads;
  }

  private static InputStream open(Fixture console, int i) throws Exception {
    HttpResponse<InputStream> response =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            console.url()
                                + "api/v1/events?view=locks&limit=60&offset="
                                + 60 * (i % 3)))
                    .header("Cookie", console.cookie())
                    .build(),
                HttpResponse.BodyHandlers.ofInputStream());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }
}
