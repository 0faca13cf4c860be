package dev.pawl.degrade.protocol;

/** The protocol as the small world runs it: what the real code does, unless a variant breaks it. */
class Rules {

  /** The protocol itself. */
  static final Rules REAL = new Rules();

  ModeMachine.Step apply(ModeRecord record, Change change) {
    return ModeMachine.apply(record, change);
  }

  /**
   * Tells whether somebody may have waited a member out by now.
   *
   * @param quiet how long ago its last beat reached the record: nobody can have seen it earlier
   * @param clock the same by the backup's clock, which steps
   */
  boolean maySeeSilence(int quiet, int clock) {
    return quiet >= SmallPair.LEASE;
  }

  /** Returns how much is left of a mode lease when its answer comes that long after it was sent. */
  int leaseLeft(int age) {
    return SmallPair.LEASE - age;
  }

  /** Whether what is held in the primary is believed no longer than the mode lease. */
  boolean boundsBelief() {
    return true;
  }

  boolean admits(Tokens tokens, long token) {
    return tokens.admits(token, token);
  }

  /** Whether a grant of the backup counts by itself while the locks return. */
  boolean believesTheBackupAlone() {
    return false;
  }

  /** Whether a node looks at the record when it has got a name in both stores. */
  boolean looksAgain() {
    return true;
  }

  boolean namesCarryTheirEpoch() {
    return true;
  }

  /** Whether a node confirms that the primary is left while something still runs. */
  boolean confirmsEarly() {
    return false;
  }

  /** Whether the first claim for a job in an epoch reads the mark in the backup. */
  boolean readsMarks() {
    return true;
  }

  /** Whether a run is reported whose name was lost before its mark was written. */
  boolean reportsWhatIsInDoubt() {
    return false;
  }
}
