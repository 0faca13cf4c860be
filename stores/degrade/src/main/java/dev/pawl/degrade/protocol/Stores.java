package dev.pawl.degrade.protocol;

/**
 * Which two stores a record is about, so that a node that was configured with others is refused.
 *
 * @param primary the identity of the primary
 * @param backup the identity of the backup
 * @param leaseMillis the length of a mode lease, which must be the same for all who are listed: who
 *     waits for less than another counts on does not wait for long enough
 */
public record Stores(String primary, String backup, long leaseMillis) {

  /** Two stores, where all nodes have the same mode lease anyway. */
  public Stores(String primary, String backup) {
    this(primary, backup, 0);
  }

  boolean areThoseOf(Stores other) {
    return isOne(primary, other.primary) && isOne(backup, other.backup);
  }

  /** An id and an address; of a store that has no id, which is a dash, the address counts. */
  private static boolean isOne(String identity, String other) {
    String id = identity.split(" ", 2)[0];
    return identity.equals(other) || (!id.equals("-") && id.equals(other.split(" ", 2)[0]));
  }

  /** Returns the address of a store, for people, of what it is known by. */
  public static String address(String identity) {
    return identity.substring(identity.indexOf(' ') + 1);
  }
}
