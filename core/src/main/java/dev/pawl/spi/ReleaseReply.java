package dev.pawl.spi;

/** The store's answer to {@link Command.Release}. */
public enum ReleaseReply {
  /** The claim held the name and does not any more. */
  RELEASED,
  /** The claim did not hold the name: its lease had ended, or somebody removed it. */
  GONE
}
