package dev.pawl.degrade;

import dev.pawl.degrade.protocol.Sight;

/**
 * What the node sees of the primary: any answer of it shows that it is there, and where nobody has
 * anything to ask it is asked what its clock shows. Guarded by the lock of the pair.
 */
final class PrimaryWatch {

  /** A node that stood still has not asked: so many looks without an answer it takes at least. */
  static final int LEAST_LOOKS = 3;

  private final Side primary;
  private final long deadNanos;

  /** What one look counts for at most, however long ago the one before was. */
  private final long mostNanos;

  private long answersSeen = -1;
  private long answeredNanos;
  private long lookedNanos;
  private long silentNanos;
  private long probedNanos;
  private boolean probed;
  private boolean dead;

  PrimaryWatch(Side primary, long deadNanos) {
    this.primary = primary;
    this.deadNanos = deadNanos;
    this.mostNanos = (deadNanos + LEAST_LOOKS - 1) / LEAST_LOOKS;
  }

  /** Looks whether there was an answer; returns whether it is to be asked now. */
  boolean look(long now) {
    long answers = primary.answers();
    if (answers != answersSeen) {
      answeredNanos = now;
      silentNanos = 0;
      dead = false;
      answersSeen = answers;
    } else {
      silentNanos += Math.min(now - lookedNanos, mostNanos);
      dead |= silentNanos >= deadNanos;
    }
    lookedNanos = now;
    long often = deadNanos / 3;
    boolean due = !probed || (now - probedNanos >= often && now - answeredNanos >= often);
    if (due) {
      probed = true;
      probedNanos = now;
    }
    return due;
  }

  void probe() {
    var unused = primary.now(store -> store.nowMicros());
  }

  Sight sight() {
    return dead ? Sight.DEAD : Sight.WELL;
  }
}
