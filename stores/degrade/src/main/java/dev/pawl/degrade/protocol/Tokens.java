package dev.pawl.degrade.protocol;

/**
 * Where the tokens lie that are given out now. What users see is the store's token plus the offset:
 * the stores' clocks may differ by minutes, and ZooKeeper's tokens are no clock at all.
 *
 * @param floor all tokens that are given out now are higher
 * @param offset what is added to the token of the store that has the locks
 * @param ceiling no token above it is believed before it was raised; the next floor
 */
public record Tokens(long floor, long offset, long ceiling) {

  /**
   * How far ahead the ceiling is set: 19 hours of a store whose tokens are microseconds. It need
   * not be raised more often than a mode lease is renewed.
   */
  public static final long HEADROOM = 1L << 36;

  /** What a new pair starts with: the first grant raises the ceiling. */
  static final Tokens FIRST = new Tokens(0, 0, 0);

  /** Tells whether a grant with tokens up to this one, as users see them, may be believed. */
  public boolean admits(long first, long last) {
    return first > floor && last <= ceiling;
  }

  Tokens raisedTo(long token) {
    return token <= ceiling ? this : new Tokens(floor, offset, token);
  }

  /** Returns what follows when another store takes over, whose tokens are at {@code raw} now. */
  Tokens next(long raw) {
    long above = ceiling;
    long shift = Math.max(0, above + 1 - raw);
    return new Tokens(above, shift, raw + shift + HEADROOM);
  }
}
