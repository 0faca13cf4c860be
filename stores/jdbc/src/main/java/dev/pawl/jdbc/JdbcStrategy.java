package dev.pawl.jdbc;

/** How a lock is kept in the database; see the guide for what each gives and costs. */
public enum JdbcStrategy {
  /** A record for each name, with everything: fair queue, read-write locks, semaphores, marks. */
  LEASE_RECORD,
  /** A record for each name that is held: inserted to take it, deleted to free it, no queue. */
  UNIQUE_KEY,
  /**
   * An open transaction for each lock held; free when the database sees the connection go. Where
   * that is cut, another may hold the lock while the node believes in it until its next renewal.
   */
  ROW_LOCK;

  /** Reads the form used in URLs: {@code lease-record}, {@code unique-key}, {@code row-lock}. */
  static JdbcStrategy parse(String text) {
    for (JdbcStrategy strategy : values()) {
      if (strategy.toString().equals(text)) {
        return strategy;
      }
    }
    throw new IllegalArgumentException(
        "pawl.strategy is \"" + text + "\"; allowed is lease-record, unique-key or row-lock");
  }

  @Override
  public String toString() {
    return switch (this) {
      case LEASE_RECORD -> "lease-record";
      case UNIQUE_KEY -> "unique-key";
      case ROW_LOCK -> "row-lock";
    };
  }
}
