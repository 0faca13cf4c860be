package dev.pawl.degrade.protocol;

/** Which of the two stores has the locks. */
public enum Mode {
  /** The primary has them. */
  PRIMARY,
  /** The primary is given up; nothing is granted until nobody counts on it any more. */
  LEAVING,
  /** The backup has them. */
  BACKUP,
  /** The backup has them, and whoever holds a name takes it in the primary as well. */
  RETURNING
}
