package dev.pawl.engine.claims;

import dev.pawl.spi.Grant;

/**
 * What a node knows of the store's clock by the exchanges about one claim: a reading, and a moment
 * of the node's own clock that was not later. Guarded by the lock of the claim's queue.
 */
final class ClockReading {

  /** When the exchange that brought the reading began; while there is none, the first exchange. */
  private long askedNanos;

  private long readMicros;
  private boolean asked;
  private boolean read;

  /** The store is being asked, for the first time or again. */
  void ask(long nanos) {
    if (!asked) {
      askedNanos = nanos;
      asked = true;
    }
  }

  /** Takes a reading by an exchange that began at that moment. */
  void read(long sentNanos, long micros) {
    if (!read || sentNanos - askedNanos > 0) {
      askedNanos = sentNanos;
      readMicros = micros;
      read = true;
    }
  }

  /** Tells whether the store has ever answered. */
  boolean isRead() {
    return read;
  }

  /** Returns when the exchange with the latest answer began, or the first one if there is none. */
  long askedNanos() {
    return askedNanos;
  }

  /**
   * Returns when to stop counting on a grant (I2). The store's reading of {@code until} is brought
   * to our clock by the exchange. A grant that is told before any exchange was answered was made
   * after its acquire was sent.
   */
  long deadline(Grant grant, long now) {
    long lasts = lasts(grant);
    long sinceAsked = read ? (grant.untilMicros() - readMicros) * 1_000 : lasts;
    long fromNow = now + lasts - drift(lasts);
    long fromAsked = askedNanos + sinceAsked - drift(sinceAsked);
    return fromNow - fromAsked < 0 ? fromNow : fromAsked; // The clock may run over.
  }

  /** Returns how long the store has given. */
  static long lasts(Grant grant) {
    return (grant.untilMicros() - grant.nowMicros()) * 1_000;
  }

  /** How much two clocks may come apart in that time: 1 %, and the time it takes to tell people. */
  private static long drift(long nanos) {
    return nanos / 100 + 2_000_000;
  }

  /** Returns about what the store's clock showed at a moment of ours; zero if nobody knows. */
  long microsAt(long nanos) {
    return read ? readMicros + (nanos - askedNanos) / 1_000 : 0;
  }
}
