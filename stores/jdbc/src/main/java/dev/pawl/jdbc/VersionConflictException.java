package dev.pawl.jdbc;

import dev.pawl.PawlException;

/** A row was changed by others each time it was to be written; nothing was changed. */
public class VersionConflictException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says which row, and how often it was tried. */
  public VersionConflictException(String message) {
    super(message);
  }
}
