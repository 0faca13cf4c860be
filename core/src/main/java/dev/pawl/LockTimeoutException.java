package dev.pawl;

/**
 * Somebody else held the lock for as long as the call was willing to wait. The message says who,
 * since when, how long the lease still lasts and how many wait.
 */
public class LockTimeoutException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says who holds the lock. */
  public LockTimeoutException(String message) {
    super(message);
  }
}
