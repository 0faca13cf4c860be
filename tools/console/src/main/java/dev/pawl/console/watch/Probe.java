package dev.pawl.console.watch;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What can be found out of any store by looking: how fast it answers, what its clock shows. */
public final class Probe {

  private static final int ROUND_TRIPS = 21;

  /**
   * A renewal has a third of a lease of 10 s: an answer that takes longer than this wears on it.
   */
  private static final Duration SLOW = Duration.ofMillis(500);

  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

  private static final long PATIENCE_SECONDS = 10;

  private final LockStore store;
  private final Clock clock;

  /** Makes one that compares the store's clock with that one. */
  public Probe(LockStore store, Clock clock) {
    this.store = store;
    this.clock = clock;
  }

  /** Returns what can be seen without a lock. */
  public List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(answer(store.examine()));
    findings.addAll(timeAndClock());
    return findings;
  }

  private List<Finding> timeAndClock() {
    long[] nanos = new long[ROUND_TRIPS];
    long best = Long.MAX_VALUE;
    long offsetMicros = 0;
    for (int i = 0; i < ROUND_TRIPS; i++) {
      long start = System.nanoTime();
      long storeMicros = answer(store.nowMicros());
      nanos[i] = System.nanoTime() - start;
      if (nanos[i] < best) {
        best = nanos[i];
        offsetMicros = storeMicros - (clock.millis() * 1_000 - nanos[i] / 2_000);
      }
    }
    Arrays.sort(nanos);
    return List.of(
        roundTrip(nanos[ROUND_TRIPS / 2], nanos[ROUND_TRIPS - 1]),
        clockOffset(Duration.ofNanos(offsetMicros * 1_000)));
  }

  static Finding roundTrip(long medianNanos, long worstNanos) {
    String what =
        "round trip: %.1f ms in the middle of %d, %.1f ms at worst"
            .formatted(medianNanos / 1e6, ROUND_TRIPS, worstNanos / 1e6);
    return worstNanos < SLOW.toNanos()
        ? Finding.fine(what)
        : Finding.warning(
            what,
            "A lease is renewed at a third of its length; answers this slow leave little room.",
            "Use longer leases on this store, or bring it closer.");
  }

  static Finding clockOffset(Duration offset) {
    String what =
        "clock: the store's is "
            + inWords(offset.abs())
            + (offset.isNegative() ? " behind" : " ahead of")
            + " this host's";
    return offset.abs().compareTo(CLOCK_TOLERANCE) < 0
        ? Finding.fine(what)
        : Finding.warning(
            what,
            "Locks do not mind: leases are judged by the store's clock alone. Ticks that a schedule"
                + " of this host makes, and times in its logs, are off by as much.",
            "Have both hosts keep time by NTP, or cut ticks on the store's clock (--once-per,"
                + " Job.every).");
  }

  private static String inWords(Duration time) {
    return time.toMillis() < 1_000
        ? time.toMillis() + "ms"
        : time.toSeconds() < 120
            ? String.format(Locale.ROOT, "%.1fs", time.toMillis() / 1_000.0)
            : time.toMinutes() + "m";
  }

  private static <T> T answer(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new StoreUnavailableException(
            "no answer within " + PATIENCE_SECONDS + " s", e.getCause());
      }
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
