package dev.pawl.quartz;

/** Quartz could not begin the run: the tick is left to another node. */
final class NotStartedException extends Exception {

  private static final long serialVersionUID = 1L;

  NotStartedException(String message) {
    super(message, null, false, false);
  }
}
