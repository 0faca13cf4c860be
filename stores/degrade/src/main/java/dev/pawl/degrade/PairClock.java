package dev.pawl.degrade;

/**
 * The clock that nodes of a pair share, whichever store has the locks: the backup's, read now and
 * then and carried on by the node's own. It never jumps, so that no tick is skipped or comes twice
 * at a switch: what it is off by it makes up slowly, by less than the clocks' own drift is reckoned
 * with.
 */
final class PairClock {

  /** Half a percent: I2 reckons with one. */
  private static final long SLEW_PARTS = 200;

  private boolean read;
  private long baseNanos;
  private long baseMicros;

  /** What is still to be added, or taken away, since the base. */
  private long offMicros;

  /** Takes what the backup's clock showed at some time between these two. */
  void onRead(long sentNanos, long answeredNanos, long micros) {
    long middle = sentNanos + (answeredNanos - sentNanos) / 2;
    if (!read) {
      baseNanos = middle;
      baseMicros = micros;
      read = true;
      return;
    }
    long shown = micros(middle);
    baseNanos = middle;
    baseMicros = shown;
    offMicros = micros - shown;
  }

  boolean isRead() {
    return read;
  }

  /** Returns what it shows at a moment of the node's clock. */
  long micros(long nanos) {
    long passed = Math.floorDiv(nanos - baseNanos, 1_000L);
    long most = Math.abs(passed) / SLEW_PARTS;
    long made = Math.max(-most, Math.min(most, offMicros));
    return baseMicros + passed + (passed < 0 ? 0 : made);
  }

  /**
   * Returns how many microseconds are between two moments of the node's clock, counted where this
   * clock's microseconds change: so that one moment has one time, wherever it is counted from.
   */
  long microsBetween(long fromNanos, long toNanos) {
    return Math.floorDiv(toNanos - baseNanos, 1_000L)
        - Math.floorDiv(fromNanos - baseNanos, 1_000L);
  }
}
