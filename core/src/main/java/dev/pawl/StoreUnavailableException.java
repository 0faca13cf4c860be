package dev.pawl;

import org.jspecify.annotations.Nullable;

/**
 * The store cannot be reached, and what was asked of it has not happened (I11: this is not
 * contention).
 */
public class StoreUnavailableException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says what was asked and what failed. */
  public StoreUnavailableException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
