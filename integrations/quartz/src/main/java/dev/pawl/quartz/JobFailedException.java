package dev.pawl.quartz;

/** What a job threw, for the journal; Quartz has logged it with its stack trace. */
final class JobFailedException extends Exception {

  private static final long serialVersionUID = 1L;

  JobFailedException(Exception error) {
    super(error.toString(), null, false, false);
  }

  @Override
  @SuppressWarnings("OverrideThrowableToString") // The message says what was thrown.
  public String toString() {
    return String.valueOf(getMessage());
  }
}
