package dev.pawl.degrade;

import dev.pawl.degrade.protocol.Sight;

/**
 * What the node sees of the primary: any answer of it shows that it is there, and where nobody has
 * anything to ask it is asked what its clock shows. Guarded by the lock of the pair.
 */
final class PrimaryWatch {

  /** A node that was stopped has not asked: so many looks without an answer it takes. */
  private static final int ENOUGH_LOOKS = 3;

  private final Side primary;
  private final long deadNanos;
  private long answersSeen = -1;
  private long answeredNanos;
  private long probedNanos;
  private boolean probed;
  private int looks;
  private boolean dead;

  PrimaryWatch(Side primary, long deadNanos) {
    this.primary = primary;
    this.deadNanos = deadNanos;
  }

  /** Looks whether there was an answer; returns whether it is to be asked now. */
  boolean look(long now) {
    long answers = primary.answers();
    if (answers != answersSeen) {
      answeredNanos = now;
      looks = 0;
      dead = false;
      answersSeen = answers;
    } else {
      looks++;
      dead |= looks >= ENOUGH_LOOKS && now - answeredNanos >= deadNanos;
    }
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
