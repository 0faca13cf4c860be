package dev.pawl.degrade.protocol;

/** What a node sees of the primary; its vote. */
public enum Sight {
  /** It answers. */
  WELL,
  /** It does not. */
  DEAD
}
