package dev.pawl.spi;

import dev.pawl.LockInfo;
import java.util.Objects;

/**
 * Which names are asked for, and how many of them.
 *
 * @param prefix what the names begin with, byte for byte
 * @param onlyInUse whether only those count that somebody holds or waits for
 * @param limit how many to return at most, of those that count
 */
public record Listing(String prefix, boolean onlyInUse, int limit) {

  public Listing {
    Objects.requireNonNull(prefix, "prefix");
    if (limit < 1) {
      throw new IllegalArgumentException("limit is " + limit + "; allowed is 1 and more");
    }
  }

  /** Returns a question for all names that the store remembers. */
  public static Listing all(String prefix, int limit) {
    return new Listing(prefix, false, limit);
  }

  /** Returns a question for the names that somebody holds or waits for. */
  public static Listing inUse(String prefix, int limit) {
    return new Listing(prefix, true, limit);
  }

  /** Tells whether a name that begins with the prefix counts. */
  public boolean admits(LockInfo lock) {
    return !onlyInUse || !lock.holders().isEmpty() || !lock.waiters().isEmpty();
  }
}
