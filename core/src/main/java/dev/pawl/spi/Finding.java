package dev.pawl.spi;

/**
 * Something that a person should know of the backend of a store.
 *
 * @param level how much it matters
 * @param what what was found: {@code maxmemory-policy is allkeys-lru}; never a secret
 * @param why why it matters, for somebody who does not know the backend well; empty if it is fine
 * @param remedy what to do about it; empty if it is fine
 */
public record Finding(Level level, String what, String why, String remedy) {

  /** How much a finding matters. */
  public enum Level {
    /** It was looked at, and is as it should be. */
    FINE,
    /** It holds, but not in every failure, or at a price. */
    WARNING,
    /** What the lock promises does not hold. */
    UNSAFE
  }

  /** Returns a finding that all is well. */
  public static Finding fine(String what) {
    return new Finding(Level.FINE, what, "", "");
  }

  /** Returns a finding that something holds with limits. */
  public static Finding warning(String what, String why, String remedy) {
    return new Finding(Level.WARNING, what, why, remedy);
  }

  /** Returns a finding that something does not hold. */
  public static Finding unsafe(String what, String why, String remedy) {
    return new Finding(Level.UNSAFE, what, why, remedy);
  }
}
