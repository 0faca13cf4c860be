package dev.pawl.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * The clock of a store in a test, in microseconds since 1970: goes on by itself, never back, and
 * skips ahead when told to.
 */
public final class SkippingClock implements LongSupplier {

  private final long startMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  private final long startNanos = System.nanoTime();
  private final AtomicLong skippedMicros = new AtomicLong();

  /** Starts at the time of day. */
  public SkippingClock() {}

  /** Skips ahead. */
  public void skip(Duration duration) {
    skippedMicros.addAndGet(duration.toNanos() / 1_000);
  }

  @Override
  public long getAsLong() {
    return startMicros + (System.nanoTime() - startNanos) / 1_000 + skippedMicros.get();
  }
}
