package dev.pawl;

/** A resource refused a token: a later holder of the lock has been there. */
public class StaleTokenException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says which resource, the token and what it was refused for. */
  public StaleTokenException(String message) {
    super(message);
  }
}
