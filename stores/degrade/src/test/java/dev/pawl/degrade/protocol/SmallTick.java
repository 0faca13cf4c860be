package dev.pawl.degrade.protocol;

import dev.pawl.degrade.protocol.SmallNode.Hold;

/**
 * The one tick of a job in the small world: its mark, in the stores and in the backup's register.
 */
final class SmallTick {

  private final Rules rules;

  /** Whether it is marked in the register. */
  private boolean mark;

  /** Under which names the stores have the mark. */
  private long markPrimary;

  private long markBackup;
  private boolean reported;

  SmallTick(Rules rules) {
    this.rules = rules;
  }

  SmallTick copy(Rules other) {
    SmallTick copy = new SmallTick(other);
    copy.mark = mark;
    copy.markPrimary = markPrimary;
    copy.markBackup = markBackup;
    copy.reported = reported;
    return copy;
  }

  long hash() {
    long hash = (mark ? 1L : 0L) + (reported ? 2L : 0L);
    return SmallNode.mix(hash, markPrimary * 64 + markBackup);
  }

  /** Reads the mark in the backup, once in each epoch; false if the tick is done. */
  boolean readMark(SmallNode node) {
    if (node.markRead != node.seen.epoch() && rules.readsMarks()) {
      if (mark) {
        return false;
      }
      node.markRead = node.seen.epoch(); // From here on it asks the store alone.
    }
    return true;
  }

  private boolean isMarked(Footing footing) {
    return (footing.primary() != 0 && footing.primary() == markPrimary)
        || (footing.backup() != 0 && footing.backup() == markBackup);
  }

  boolean mayRun(SmallNode node, Footing footing) {
    if (isMarked(footing) || !readMark(node)) {
      return false;
    }
    if (reported) {
      throw new Violated("the tick runs again after it was reported");
    }
    return true;
  }

  /** The mark of a run reaches the backup; then the name is released with it. */
  void finish(SmallNode node) {
    node.writing = false;
    mark = true;
    boolean holds = node.alive && node.left > 0 && node.holds[0] == Hold.HELD;
    if (holds) {
      Footing footing = node.footings[0];
      markPrimary = footing.primary() != 0 ? footing.primary() : markPrimary;
      markBackup = footing.backup() != 0 ? footing.backup() : markBackup;
      node.drop(0);
    } else if (!rules.reportsWhatIsInDoubt()) {
      return;
    }
    if (reported) {
      throw new Violated("the tick was reported twice");
    }
    reported = true;
  }
}
