package dev.pawl.jdbc;

import dev.pawl.Lease;
import dev.pawl.StaleTokenException;
import dev.pawl.jdbc.sql.Utf8;
import java.sql.Connection;
import java.sql.SQLException;

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
        + database.dialect().keyBytes()
        + " NOT NULL PRIMARY KEY, token BIGINT NOT NULL)"
        + database.dialect().tableEnd();
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
    if (!database.dialect().admit(connection, table, Utf8.bytes(resource), token)) {
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
}
