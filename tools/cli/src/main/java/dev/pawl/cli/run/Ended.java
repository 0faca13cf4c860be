package dev.pawl.cli.run;

/** How a run of a command has ended, and the exit code for it. */
record Ended(How how, int code) {

  enum How {
    /** By itself, or by a signal that was not ours. */
    RAN,
    /** For its lease, which was lost or about to be. */
    LOST,
    /** A signal came before it was started. */
    NOT_STARTED
  }
}
