package dev.pawl;

import org.jspecify.annotations.Nullable;

/** The base of everything Pawl throws of its own. */
public class PawlException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says which lock, what is known and what to do. */
  public PawlException(String message) {
    super(message);
  }

  /** Makes one with a message that says which lock, what is known and what to do. */
  public PawlException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
