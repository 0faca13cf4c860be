package dev.pawl.spi;

/** The store's answer to {@link Command.Reset}. */
public enum ResetReply {
  /** The mark was lowered. */
  RESET,
  /** The name has another mark, or none; nothing was changed. */
  CHANGED
}
