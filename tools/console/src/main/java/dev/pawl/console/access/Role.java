package dev.pawl.console.access;

/** What somebody may do. */
public enum Role {
  /** Looks. */
  VIEWER,
  /** Looks, and steps in. */
  OPERATOR
}
