package dev.pawl.degrade.protocol;

import org.jspecify.annotations.Nullable;

/**
 * A node's side of the record: the latest that it has seen, and until when its mode lease lets it
 * count on anything.
 *
 * @param seen the record of the highest epoch that it has seen; null before the first
 * @param leased whether it ever had a mode lease
 * @param untilNanos when that ends, by the node's monotonic clock
 */
public record Standing(@Nullable ModeRecord seen, boolean leased, long untilNanos) {

  /** A node that has seen nothing. */
  public static final Standing NONE = new Standing(null, false, 0);

  /** How much two clocks may come apart in that time: 1 %, and the time it takes to tell people. */
  public static long driftNanos(long nanos) {
    return nanos / 100 + 2_000_000;
  }

  /** Tells whether a record is older than what this node has seen: the backup has forgotten. */
  public boolean isForgotten(ModeRecord read) {
    return seen != null && read.epoch() < seen.epoch();
  }

  /** Takes a record that was read; an older one changes nothing. */
  public Standing read(ModeRecord read) {
    return isForgotten(read) ? this : new Standing(read, leased, untilNanos);
  }

  /**
   * Takes that the node was listed or its lease renewed.
   *
   * @param sentNanos when the compare-and-set was sent, read before that (I2)
   */
  public Standing renewed(ModeRecord now, long sentNanos, long leaseNanos) {
    if (isForgotten(now)) {
      return this;
    }
    long until = sentNanos + leaseNanos - driftNanos(leaseNanos);
    long later = leased && untilNanos - until > 0 ? untilNanos : until;
    return new Standing(now, true, later);
  }

  /** Tells whether the node may count on anything at that moment (I2). */
  public boolean lastsAt(long nowNanos) {
    return leased && nowNanos - untilNanos < 0;
  }

  /** Tells whether the node may count on a claim that holds so. */
  public boolean believes(Footing footing, long nowNanos) {
    return seen != null && lastsAt(nowNanos) && footing.stands(seen);
  }
}
