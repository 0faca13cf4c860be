package dev.pawl.degrade.protocol;

/**
 * For how long the primary must have been well before the locks return to it: twice as long with
 * each switch of late, which the record counts for all nodes, up to a bound. Each hour without a
 * change of the mode takes one off.
 */
public final class Backoff {

  /** After so long without a change of the mode one switch is forgotten. */
  public static final long DECAY_NANOS = 3_600_000_000_000L;

  private static final int MOST_SWITCHES = 20;

  private Backoff() {}

  static int afterSwitch(int switches) {
    return Math.min(MOST_SWITCHES, switches + 1);
  }

  /**
   * Returns how long to wait after so many switches.
   *
   * @param firstNanos after the first
   * @param mostNanos at the most
   */
  public static long nanos(int switches, long firstNanos, long mostNanos) {
    long nanos = firstNanos;
    for (int i = 1; i < switches && nanos < mostNanos; i++) {
      nanos *= 2;
    }
    return Math.min(nanos, mostNanos);
  }
}
