package dev.pawl;

/** A name that no store would keep apart from others: see the rules in the message. */
public class InvalidNameException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says the name and what is allowed. */
  public InvalidNameException(String message) {
    super(message);
  }
}
