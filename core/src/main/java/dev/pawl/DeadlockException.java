package dev.pawl;

/** A thread would wait for itself, directly or around a cycle of locks and holders. */
public class DeadlockException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says the cycle. */
  public DeadlockException(String message) {
    super(message);
  }
}
