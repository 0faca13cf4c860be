package dev.pawl.jdbc;

import dev.pawl.Lease;
import dev.pawl.StaleTokenException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * The check of tokens at the resource: inside the caller's own transaction, a token is admitted
 * only if none higher was seen for that resource, in one statement. The row it writes stays locked
 * until the transaction ends, so that an older holder waits, and is then refused.
 *
 * <pre>{@code
 * JdbcFence fence = JdbcFence.of(SqlDatabase.POSTGRESQL, "invoice_fence");
 * connection.setAutoCommit(false);
 * fence.admit(connection, "invoice:42", lease.token());
 * update(connection, 42);
 * connection.commit();
 * }</pre>
 *
 * <p>The table is the caller's, beside the data it protects: {@link #sql()} creates it.
 */
public final class JdbcFence {

  private final SqlDatabase database;
  private final String table;

  private JdbcFence(SqlDatabase database, String table) {
    this.database = database;
    this.table = table;
  }

  /** Returns the fence in that table: {@code name} or {@code schema.name}. */
  public static JdbcFence of(SqlDatabase database, String table) {
    VersionGuard.checkTable(table);
    return new JdbcFence(database, table);
  }

  /** Returns the statement that creates the table. */
  public String sql() {
    return "CREATE TABLE IF NOT EXISTS "
        + table
        + " (resource "
        + database.keyBytes()
        + " NOT NULL PRIMARY KEY, token BIGINT NOT NULL)"
        + (database.isMysqlLike() ? " ENGINE = InnoDB" : "");
  }

  /** Admits the lease's token for the resource that has the lock's name. */
  public void admit(Connection connection, Lease lease) throws SQLException {
    admit(connection, lease.name(), lease.token());
  }

  /**
   * Admits a token, and remembers it for when the transaction commits.
   *
   * @throws StaleTokenException if a higher one was seen; the transaction has been rolled back
   * @throws IllegalStateException if the connection is not in a transaction
   */
  public void admit(Connection connection, String resource, long token) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode: what is fenced must be in one transaction with"
              + " the check");
    }
    if (!isAdmitted(connection, Row.bytes(resource), token)) {
      connection.rollback();
      throw new StaleTokenException(
          "token "
              + token
              + " is stale for \""
              + resource
              + "\": "
              + table
              + " has seen a higher one, of a later holder; the transaction was rolled back");
    }
  }

  private boolean isAdmitted(Connection connection, byte[] resource, long token)
      throws SQLException {
    return switch (database) {
      case POSTGRESQL, SQLITE ->
          count(
                  connection,
                  """
                  INSERT INTO %1$s AS f (resource, token) VALUES (?, ?)
                  ON CONFLICT (resource) DO UPDATE SET token = excluded.token
                  WHERE f.token <= excluded.token""",
                  resource,
                  token)
              == 1;
      case MARIADB -> highestOfMariaDb(connection, resource, token) == token;
      case MYSQL -> highestOfMysql(connection, resource, token) == token;
      case H2 -> isAdmittedByH2(connection, resource, token);
    };
  }

  private long highestOfMariaDb(Connection connection, byte[] resource, long token)
      throws SQLException {
    String sql =
        """
        INSERT INTO %s (resource, token) VALUES (?, ?)
        ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUE(token)) RETURNING token"""
            .formatted(table);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, resource);
      statement.setLong(2, token);
      return JdbcProtocol.written(statement, result -> result.getLong(1)).orElseThrow();
    }
  }

  private long highestOfMysql(Connection connection, byte[] resource, long token)
      throws SQLException {
    String sql =
        """
        INSERT INTO %s (resource, token) VALUES (?, LAST_INSERT_ID(?))
        ON DUPLICATE KEY UPDATE token = LAST_INSERT_ID(GREATEST(token, VALUES(token)))"""
            .formatted(table);
    try (PreparedStatement statement =
        connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      statement.setBytes(1, resource);
      statement.setLong(2, token);
      statement.executeUpdate();
    }
    // The last insert id of an unchanged row is in the session, not always in the answer.
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
      result.next();
      return result.getLong(1);
    }
  }

  private boolean isAdmittedByH2(Connection connection, byte[] resource, long token)
      throws SQLException {
    if (isRaisedByH2(connection, resource, token)) {
      return true;
    }
    try {
      return count(connection, "INSERT INTO %s (resource, token) VALUES (?, ?)", resource, token)
          == 1;
    } catch (SQLException e) {
      if (JdbcErrors.isDuplicate(e)) {
        // Another's, which was made meanwhile and may be the lower one.
        return isRaisedByH2(connection, resource, token);
      }
      throw e;
    }
  }

  private boolean isRaisedByH2(Connection connection, byte[] resource, long token)
      throws SQLException {
    try (PreparedStatement update =
        connection.prepareStatement(
            "UPDATE %s SET token = ? WHERE resource = ? AND token <= ?".formatted(table))) {
      update.setLong(1, token);
      update.setBytes(2, resource);
      update.setLong(3, token);
      return update.executeUpdate() == 1;
    }
  }

  private int count(Connection connection, String sql, byte[] resource, long token)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql.formatted(table))) {
      statement.setBytes(1, resource);
      statement.setLong(2, token);
      return statement.executeUpdate();
    }
  }
}
