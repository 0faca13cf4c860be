package dev.pawl;

/** A lease was lost before it was closed: another may hold the name. */
public class LeaseLostException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says which lease was lost, and by what. */
  public LeaseLostException(String message) {
    super(message);
  }
}
