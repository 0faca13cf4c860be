package dev.pawl.degrade;

/**
 * For how long the primary must have been well before the locks return to it: twice as long with
 * each switch, up to a bound, and half as long with each hour without one.
 */
final class Backoff {

  private static final long DECAY_NANOS = 3_600_000_000_000L;
  private static final int MOST_SWITCHES = 20;

  private final long firstNanos;
  private final long mostNanos;
  private int switches;
  private long changedNanos;

  Backoff(long firstNanos, long mostNanos) {
    this.firstNanos = firstNanos;
    this.mostNanos = mostNanos;
  }

  void onSwitch(long now) {
    decay(now);
    switches = Math.min(MOST_SWITCHES, switches + 1);
    changedNanos = now;
  }

  private void decay(long now) {
    while (switches > 0 && now - changedNanos >= DECAY_NANOS) {
      switches--;
      changedNanos += DECAY_NANOS;
    }
  }

  long nanos(long now) {
    decay(now);
    long nanos = firstNanos;
    for (int i = 1; i < switches && nanos < mostNanos; i++) {
      nanos *= 2;
    }
    return Math.min(nanos, mostNanos);
  }
}
