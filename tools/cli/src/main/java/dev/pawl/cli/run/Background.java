package dev.pawl.cli.run;

/** What becomes of processes that a command leaves in the background when it ends. */
enum Background {
  /** They keep the lock until they end too. */
  WAIT,
  /** They are ended: TERM, and KILL a second later. */
  KILL,
  /** They live on without the lock. */
  LEAVE
}
