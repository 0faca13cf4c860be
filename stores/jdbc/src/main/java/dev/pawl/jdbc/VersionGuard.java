package dev.pawl.jdbc;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.util.NoSuchElementException;
import javax.sql.DataSource;

/**
 * Optimistic concurrency for a table of the caller's that has a column for the version: no lock is
 * held while the work is done, and what was done is kept only if nobody else changed the row
 * meanwhile; otherwise it is done again.
 *
 * <pre>{@code
 * VersionGuard guard = VersionGuard.of("invoice", "id", "version");
 * guard.change(dataSource, 42, connection -> settle(connection, 42));
 * }</pre>
 */
public final class VersionGuard {

  /** How often the work is done at most: with back-off, about two seconds. */
  private static final int MOST_ATTEMPTS = 50;

  private final String table;
  private final String key;
  private final String version;

  private VersionGuard(String table, String key, String version) {
    this.table = table;
    this.key = key;
    this.version = version;
  }

  /** Returns the guard of a table by the columns of its key and its version. */
  public static VersionGuard of(String table, String keyColumn, String versionColumn) {
    checkTable(table);
    JdbcOptions.checkIdentifier("keyColumn", keyColumn);
    JdbcOptions.checkIdentifier("versionColumn", versionColumn);
    return new VersionGuard(table, keyColumn, versionColumn);
  }

  static void checkTable(String table) {
    String[] parts = table.split("\\.", -1);
    if (parts.length > 2) {
      throw new IllegalArgumentException("table is \"" + table + "\"; it has too many dots");
    }
    for (String part : parts) {
      JdbcOptions.checkIdentifier("table", part);
    }
  }

  /** Work on a row, in a transaction; done again if others were faster. */
  @FunctionalInterface
  public interface Change<T> {
    /** Does the work on that connection, and does not commit. */
    T on(Connection connection) throws SQLException;
  }

  /**
   * Does the work and raises the row's version, in one transaction on a new connection.
   *
   * @throws NoSuchElementException if there is no such row
   * @throws VersionConflictException if others changed the row every time
   */
  public <T> T change(DataSource source, Object id, Change<T> change) throws SQLException {
    for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      try (Connection connection = source.getConnection()) {
        return Connections.inTransaction(connection, c -> once(c, id, change));
      } catch (SQLException e) {
        if (SqlDatabase.dialects().stream().noneMatch(dialect -> dialect.isRolledBack(e))) {
          throw e;
        }
      }
      Connections.pause(attempt);
    }
    throw new VersionConflictException(
        table
            + " where "
            + key
            + " is "
            + id
            + ": others changed it each of the "
            + MOST_ATTEMPTS
            + " times it was to be written; nothing was changed");
  }

  private <T> T once(Connection connection, Object id, Change<T> change) throws SQLException {
    long seen = read(connection, id);
    T result = change.on(connection);
    if (!raise(connection, id, seen)) {
      throw new SQLTransactionRollbackException("others were faster", "40001");
    }
    return result;
  }

  private long read(Connection connection, Object id) throws SQLException {
    return Sql.one(
            connection,
            "SELECT %s FROM %s WHERE %s = ?".formatted(version, table, key),
            result -> result.getLong(1),
            id)
        .orElseThrow(
            () -> new NoSuchElementException("no row in " + table + " where " + key + " is " + id));
  }

  private boolean raise(Connection connection, Object id, long seen) throws SQLException {
    String sql =
        "UPDATE %1$s SET %2$s = %2$s + 1 WHERE %3$s = ? AND %2$s = ?"
            .formatted(table, version, key);
    return Sql.update(connection, sql, id, seen) == 1;
  }
}
