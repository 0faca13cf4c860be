package dev.pawl;

/** A name is not allowed; the message says what is. */
public class InvalidNameException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says the name and what is allowed. */
  public InvalidNameException(String message) {
    super(message);
  }
}
