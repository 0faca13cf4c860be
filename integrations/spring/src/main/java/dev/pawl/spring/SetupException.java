package dev.pawl.spring;

import org.jspecify.annotations.Nullable;

/**
 * What an application has set up cannot work: an annotation where it would mean nothing, or beans
 * that do not fit. It is thrown when the context starts, and says what to do.
 */
public final class SetupException extends IllegalStateException {

  private static final long serialVersionUID = 1L;

  SetupException(String message) {
    this(message, null);
  }

  SetupException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
