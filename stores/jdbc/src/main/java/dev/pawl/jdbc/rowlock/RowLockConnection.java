package dev.pawl.jdbc.rowlock;

import dev.pawl.jdbc.dialect.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A connection set up for row locks. One that is lent by a pool of the caller's goes back with the
 * settings it came with.
 */
final class RowLockConnection implements AutoCloseable {

  private static final Settings OURS =
      new Settings(false, Connection.TRANSACTION_READ_COMMITTED, 1);

  final Connection connection;
  private final Dialect dialect;
  private final @Nullable Settings before;

  private RowLockConnection(Connection connection, Dialect dialect, @Nullable Settings before) {
    this.connection = connection;
    this.dialect = dialect;
    this.before = before;
  }

  /** What is set on a connection; how long it waits for a row, where that is a setting. */
  private record Settings(boolean autoCommit, int isolation, long waitSeconds) {}

  static RowLockConnection of(Connection connection, Dialect dialect, boolean lent)
      throws SQLException {
    try {
      RowLockConnection own =
          new RowLockConnection(connection, dialect, lent ? settings(connection, dialect) : null);
      own.set(OURS);
      return own;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static Settings settings(Connection connection, Dialect dialect) throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(true); // So that to ask does not begin a transaction.
    return new Settings(
        autoCommit,
        connection.getTransactionIsolation(),
        dialect.lockWaitSeconds(connection).orElse(0));
  }

  private void set(Settings settings) throws SQLException {
    if (dialect.setsReadCommitted()) {
      connection.setTransactionIsolation(settings.isolation());
    }
    dialect.setLockWaitSeconds(connection, settings.waitSeconds());
    connection.setAutoCommit(settings.autoCommit());
  }

  /** Gives it back, whatever it is in the middle of. */
  @Override
  public void close() throws SQLException {
    try (Connection closing = connection) {
      if (before != null) {
        closing.rollback();
        closing.setAutoCommit(true);
        set(before);
      }
    }
  }
}
