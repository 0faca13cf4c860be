package dev.pawl;

/** Something was asked for that this store cannot do; nothing was sent to it. */
public class UnsupportedByStoreException extends PawlException {

  private static final long serialVersionUID = 1L;

  /** Makes one with a message that says what is missing, and which stores have it. */
  public UnsupportedByStoreException(String message) {
    super(message);
  }
}
