package dev.pawl.spi;

/** The store's answer to {@link Command.Cancel}. */
public enum CancelReply {
  /** The claim waited, and does not any more. */
  CANCELLED,
  /** The claim had been granted, and is released. */
  WAS_GRANTED,
  /** The store knew no such claim. */
  GONE
}
