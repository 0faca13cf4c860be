package dev.pawl;

import org.jspecify.annotations.Nullable;

/**
 * The store did not answer, and what was asked of it may have happened (I11: this is not
 * contention). Pawl finds out in the background and undoes it.
 */
public class OutcomeUnknownException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says what was asked, and until when it may have an effect. */
  public OutcomeUnknownException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
