package dev.pawl.zookeeper.tree;

/**
 * Tokens from the transaction that created a claim's node. Transactions are numbered upwards over
 * the whole ensemble, through restarts and elections, so a later grant of a name has a higher token
 * (I3), also where nothing of the name was left in between.
 */
public final class Tokens {

  private static final int SPAN_BITS = 12;

  /** The longest span: more than a node may ever pass a grant on. */
  public static final int MOST = 1 << SPAN_BITS;

  private Tokens() {}

  /**
   * Returns the first token of a grant.
   *
   * @throws ArithmeticException after half a million elections, when there is no room any more
   */
  public static long first(long czxid) {
    return Math.multiplyExact(czxid, (long) MOST);
  }

  /** Returns how many tokens a grant gets. */
  public static int span(int wanted) {
    return Math.min(wanted, MOST);
  }
}
