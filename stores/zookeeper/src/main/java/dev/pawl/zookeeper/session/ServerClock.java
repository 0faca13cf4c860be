package dev.pawl.zookeeper.session;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The clock of the ensemble, which is only seen in the stat of something that was just written: the
 * latest reading, and the time since by this process's monotonic clock. Never ahead of the ensemble
 * by more than two clocks drift apart.
 */
public final class ServerClock {

  /** A reading that differs by more is that of another leader, whose clock it is from now on. */
  private static final long STEP_MICROS = 1_000_000;

  private record Reading(long micros, long nanos) {}

  private final LongSupplier nanos;
  private final AtomicReference<Reading> latest = new AtomicReference<>(new Reading(0, 0));

  /** Makes one over a monotonic clock. */
  public ServerClock(LongSupplier nanos) {
    this.nanos = nanos;
  }

  /** Takes the reading that an answer has brought. */
  public void read(long millis) {
    long now = nanos.getAsLong();
    long micros = millis * 1_000;
    latest.updateAndGet(
        before -> {
          long expected = before.micros + (now - before.nanos) / 1_000;
          boolean stepped = before.micros == 0 || Math.abs(expected - micros) > STEP_MICROS;
          return stepped || micros > expected ? new Reading(micros, now) : before;
        });
  }

  /** Returns what it shows, in microseconds since 1970; zero if it was never read. */
  public long micros() {
    Reading reading = Objects.requireNonNull(latest.get());
    return reading.micros == 0 ? 0 : reading.micros + (nanos.getAsLong() - reading.nanos) / 1_000;
  }
}
