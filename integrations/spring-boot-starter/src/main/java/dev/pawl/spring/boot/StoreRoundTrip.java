package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import java.time.Duration;
import java.util.Locale;

/** A question to the store, to see that it answers and how long that takes. */
record StoreRoundTrip(String store, String node, Duration took) {

  private static final String NAME = "pawl:health";

  /** Throws what the store does. */
  static StoreRoundTrip of(Pawl pawl) {
    long start = System.nanoTime();
    var unused = pawl.inspector().find(NAME);
    return new StoreRoundTrip(
        pawl.store().describe(), pawl.label(), Duration.ofNanos(System.nanoTime() - start));
  }

  String millis() {
    return String.format(Locale.ROOT, "%.1f ms", took.toNanos() / 1_000_000.0);
  }
}
