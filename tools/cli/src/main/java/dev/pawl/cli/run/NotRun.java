package dev.pawl.cli.run;

/** The reason why a command was not run here: somebody else does it, or has done it. */
final class NotRun extends RuntimeException {

  private static final long serialVersionUID = 1L;

  NotRun(String message) {
    super(message);
  }
}
