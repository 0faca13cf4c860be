package dev.pawl.spi;

/**
 * The id of one claim, never used again: the node that makes it, and that node's counter.
 *
 * @param node the random id of the node; no slash in it
 * @param counter the number of the claim in its node
 */
public record ClaimId(String node, long counter) {

  /** Checks that the id can be told apart in its written form. */
  public ClaimId {
    if (node.isEmpty() || node.indexOf('/') >= 0) {
      throw new IllegalArgumentException(
          "node id is \"" + node + "\"; it must not be empty or contain /");
    }
  }

  /** Reads what {@link #toString()} has written. */
  public static ClaimId parse(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      throw new IllegalArgumentException("not a claim id: " + text);
    }
    return new ClaimId(text.substring(0, slash), Long.parseLong(text.substring(slash + 1)));
  }

  @Override
  public String toString() {
    return node + "/" + counter;
  }
}
