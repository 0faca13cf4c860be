package dev.pawl.jdbc;

import dev.pawl.PawlException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server is besides a database, on which it depends what a lock in it is worth.
 *
 * @param readOnly a replica, or a server set to be read only
 * @param galera a node of a Galera cluster
 * @param pooled a pooler such as PgBouncer stands in between
 */
record ServerTraits(SqlDatabase database, boolean readOnly, boolean galera, boolean pooled) {

  private static final Logger LOG = LoggerFactory.getLogger(ServerTraits.class);

  static ServerTraits of(Connection connection, SqlDatabase database) throws SQLException {
    return switch (database) {
      case POSTGRESQL ->
          new ServerTraits(
              database,
              ask(
                      connection,
                      "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool")
                  .equals("t"),
              false,
              PostgresConnection.isPooled(connection));
      case MARIADB, MYSQL ->
          new ServerTraits(
              database, isOn(connection, "read_only"), isOn(connection, "wsrep_on"), false);
      case SQLITE, H2 -> new ServerTraits(database, false, false, false);
    };
  }

  private static boolean isOn(Connection connection, String variable) throws SQLException {
    try (var statement =
        connection.prepareStatement("SHOW GLOBAL VARIABLES WHERE Variable_name = ?")) {
      statement.setString(1, variable);
      try (ResultSet result = statement.executeQuery()) {
        return result.next()
            && !result.getString(2).toUpperCase(Locale.ROOT).matches("OFF|0|NO_LOCK|");
      }
    }
  }

  private static String ask(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() && result.getString(1) != null ? result.getString(1) : "";
    }
  }

  /** Refuses what cannot work, and says what does not hold. */
  void check(JdbcOptions options, String place) {
    boolean rowLock = options.strategy() == JdbcStrategy.ROW_LOCK;
    if (readOnly) {
      throw new PawlException(
          place + " is a read replica, or is set to be read only: locks need the primary");
    }
    if (rowLock && database == SqlDatabase.SQLITE) {
      throw new PawlException(
          place + " has no row locks: choose pawl.strategy=lease-row or unique-key for SQLite");
    }
    if (rowLock && galera) {
      throw new PawlException(
          place
              + " is a node of a Galera cluster, where SELECT … FOR UPDATE is local to the node and"
              + " excludes nobody on the others: choose pawl.strategy=lease-row");
    }
    if (galera) {
      LOG.warn(
          "{} is a node of a Galera cluster: locks hold, but a claim that meets another one on"
              + " another node costs a rollback and is tried again; send all nodes to one server",
          place);
    }
    if (pooled) {
      LOG.warn(
          "{} is reached through a pooler such as PgBouncer: LISTEN may belong to whoever gets the"
              + " connection, so waiters poll; in transaction mode set prepareThreshold=0 in the URL"
              + " unless the pooler knows prepared statements",
          place);
    }
  }

  boolean canListen() {
    return !pooled;
  }
}
