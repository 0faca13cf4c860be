package dev.pawl.quartz;

import org.quartz.SchedulerException;

/** A fire that could not be run; its message is all there is to know. */
final class FireException extends SchedulerException {

  private static final long serialVersionUID = 1L;

  FireException(String message) {
    super(message);
  }

  /** Quartz logs it, for each fire of an outage. */
  @Override
  @SuppressWarnings("UnsynchronizedOverridesSynchronized") // It does nothing.
  public Throwable fillInStackTrace() {
    return this;
  }
}
