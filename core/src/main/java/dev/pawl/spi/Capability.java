package dev.pawl.spi;

/**
 * Something that not every store can do; a user who asks for it elsewhere is refused before any
 * I/O.
 */
public enum Capability {
  /** Grants are made in the order of arrival. */
  FAIR(
      "a fair order of waiting claims",
      "memory, SQL with the lease-record strategy, Redis, ZooKeeper with the fair strategy and"
          + " Hazelcast"),
  /** Several claims hold a name together while no exclusive one does. */
  SHARED(
      "read-write locks",
      "memory, SQL with the lease-record strategy, Redis, Redlock, ZooKeeper with the fair strategy"
          + " and Hazelcast"),
  /** Claims take k of n permits. */
  SEMAPHORE(
      "semaphores",
      "memory, SQL with the lease-record strategy, Redis, ZooKeeper with the fair strategy and"
          + " Hazelcast"),
  /** A name remembers a mark that only rises, and refuses claims for marks it has reached. */
  MARKS(
      "marks, which jobs need",
      "memory, SQL with the lease-record strategy, Redis, ZooKeeper with the fair strategy and"
          + " Hazelcast"),
  /** Holders and waiters can be listed. */
  INSPECT("looking inside", "every store of this project but Redlock"),
  /** A holder can be removed by its token. */
  EVICT(
      "a forced release",
      "every store of this project but SQL with the row-lock strategy and ZooKeeper with the simple"
          + " one"),
  /** Small values under keys of their own are kept, and changed by compare-and-set. */
  REGISTERS(
      "registers, which pausing a job and running a tick again need",
      "every store of this project but Redlock");

  private final String what;
  private final String where;

  Capability(String what, String where) {
    this.what = what;
    this.where = where;
  }

  /** Returns what it is, for messages. */
  public String what() {
    return what;
  }

  /** Returns which stores can do it, for the message of a refusal. */
  public String where() {
    return where;
  }
}
