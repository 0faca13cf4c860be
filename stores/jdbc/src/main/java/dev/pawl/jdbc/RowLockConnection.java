package dev.pawl.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * A connection set up for row locks. One that is lent by a pool of the caller's goes back with the
 * settings it came with.
 */
final class RowLockConnection implements AutoCloseable {

  private static final Settings OURS =
      new Settings(false, Connection.TRANSACTION_READ_COMMITTED, 1);

  final Connection connection;
  private final SqlDatabase database;
  private final @Nullable Settings before;

  private RowLockConnection(
      Connection connection, SqlDatabase database, @Nullable Settings before) {
    this.connection = connection;
    this.database = database;
    this.before = before;
  }

  /** What is set on a connection; how long it waits for a row, where that is a setting. */
  private record Settings(boolean autoCommit, int isolation, long waitSeconds) {}

  static RowLockConnection of(Connection connection, SqlDatabase database, boolean lent)
      throws SQLException {
    try {
      RowLockConnection own =
          new RowLockConnection(connection, database, lent ? settings(connection, database) : null);
      own.set(OURS);
      return own;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  private static Settings settings(Connection connection, SqlDatabase database)
      throws SQLException {
    boolean autoCommit = connection.getAutoCommit();
    connection.setAutoCommit(true); // So that to ask does not begin a transaction.
    long waitSeconds = 0;
    if (database.isMysqlLike()) {
      try (Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("SELECT @@innodb_lock_wait_timeout")) {
        result.next();
        waitSeconds = result.getLong(1);
      }
    }
    return new Settings(autoCommit, connection.getTransactionIsolation(), waitSeconds);
  }

  private void set(Settings settings) throws SQLException {
    if (database != SqlDatabase.H2) {
      connection.setTransactionIsolation(settings.isolation());
    }
    if (database.isMysqlLike()) {
      JdbcProtocol.execute(
          connection, "SET SESSION innodb_lock_wait_timeout = " + settings.waitSeconds());
    }
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
