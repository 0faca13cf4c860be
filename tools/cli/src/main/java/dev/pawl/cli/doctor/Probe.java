package dev.pawl.cli.doctor;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.cli.shell.Durations;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What can be measured of any store: how fast it answers, what its clock shows, whether it locks.
 */
final class Probe {

  private static final int ROUND_TRIPS = 21;

  /**
   * A renewal has a third of a lease of 10 s: an answer that takes longer than this wears on it.
   */
  private static final Duration SLOW = Duration.ofMillis(500);

  private static final Duration CLOCK_TOLERANCE = Duration.ofSeconds(1);

  private static final long PATIENCE_SECONDS = 10;

  private static final String NAME = "pawl:doctor";

  private final LockStore store;
  private final Clock clock;

  Probe(Pawl pawl, Clock clock) {
    this.store = (LockStore) pawl.store();
    this.clock = clock;
  }

  /** Returns what can be seen without a lock. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>(answer(store.examine()));
    findings.addAll(timeAndClock());
    return findings;
  }

  /** Takes a lock and releases it, twice. */
  static Finding lockAndRelease(Pawl pawl) throws InterruptedException {
    long first;
    try (Lease lease = pawl.lock(NAME).acquire(Duration.ofSeconds(PATIENCE_SECONDS))) {
      first = lease.token();
    }
    try (Lease lease = pawl.lock(NAME).acquire(Duration.ofSeconds(PATIENCE_SECONDS))) {
      return lease.token() > first
          ? Finding.fine("a lock was taken and released twice; its token rose")
          : Finding.unsafe(
              "the token of a lock went from " + first + " to " + lease.token(),
              "A resource that checks tokens would let a stale holder write.",
              "Check the clock of the server: tokens rise with it.");
    }
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
            + Durations.format(offset.abs())
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

  private static <T> T answer(CompletionStage<T> stage) {
    try {
      return stage.toCompletableFuture().orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof TimeoutException) {
        throw new dev.pawl.StoreUnavailableException(
            "no answer within " + PATIENCE_SECONDS + " s", e.getCause());
      }
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
