package dev.pawl.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.io.BufferedReader;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What pages are told of the store's clock, by which they show ages and leases. */
class StoreClockTest {

  @TempDir Path directory;

  private String url() {
    return "sqlite:" + directory.resolve("locks.db");
  }

  /** The page of the store reads neither locks nor jobs, and so no clock. */
  @Test
  void whereTheClockWasNotReadNoTimeIsTold() throws Exception {
    Pawl.connect(url()).close();
    try (Fixture console = Fixture.start(url(), Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
        BufferedReader events = console.events("doctor")) {
      assertThat(dataOf(events, "view").get("now").isJsonNull()).isTrue();
    }
  }

  @Test
  void aHeartbeatTellsTheTimeEvenIfNothingChanges() throws Exception {
    Pawl.connect(url()).close();
    try (Fixture console = Fixture.start(url(), Fixture.OPERATOR).signedIn(Fixture.OPERATOR);
        BufferedReader events = console.events("locks")) {
      JsonElement first = dataOf(events, "view").get("now");
      JsonElement later = dataOf(events, "beat").get("now");
      assertThat(Instant.parse(later.getAsString())).isAfter(Instant.parse(first.getAsString()));
    }
  }

  private static JsonObject dataOf(BufferedReader events, String event) throws Exception {
    while (!events.readLine().equals("event: " + event)) {
      // Another one, or the data of one.
    }
    return JsonParser.parseString(events.readLine().substring("data: ".length())).getAsJsonObject();
  }

  /** Nothing is sent for this lease for minutes but heartbeats. */
  @Test
  void aBrowserWhoseClockIsSetShowsAgesAsTheyAreSoonAfter() throws Exception {
    LockOptions lasting = LockOptions.DEFAULT.withLease(Duration.ofMinutes(30));
    try (Browser browser = Browser.start("en");
        Pawl pawl = Pawl.builder(url()).defaults(lasting).build();
        Lease lease = pawl.lock("seen").acquire();
        Fixture console = Fixture.start(url(), Fixture.OPERATOR)) {
      browser.open(console.link());
      browser.find("[data-name='seen']");
      for (int hours : new int[] {1, -2}) {
        browser.run(
            "const before = Date.now; Date.now = () => before() + 3600000 * arguments[0]", hours);
        browser.await(
            "an age of an hour",
            () -> browser.find("[data-name='seen'] [data-since]").getText().matches("\\d\\d? s"));
        browser.await(
            "a lease of an hour",
            () -> browser.find("[data-name='seen'] .lease span").getText().startsWith("29m"));
      }
      assertThat(lease.isHeld()).isTrue();
    }
  }
}
