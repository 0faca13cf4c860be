package dev.pawl.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The clean-up of the row-lock strategy: forgets names whose rows nobody has locked, and whose last
 * token is that old. In slices by name, each of which begins behind the one before: names that are
 * held for long keep nobody from those behind them.
 */
final class RowCleanUp {

  private static final int SLICE = 100;

  private final Connections connections;
  private final String table;
  private final String lockTable;
  private final String idleSql;
  private final String forgetSql;

  RowCleanUp(Connections connections, SqlDatabase database, JdbcOptions options) {
    this.connections = connections;
    this.table = options.table("row");
    this.lockTable = options.table("row_lock");
    String now = database.now();
    this.idleSql =
        "SELECT name FROM %s WHERE name > ? AND last_token < %s - ? ORDER BY name%s"
            .formatted(table, now, database.first("" + SLICE));
    this.forgetSql = "DELETE FROM %s WHERE name = ? AND last_token < %s - ?".formatted(table, now);
  }

  /**
   * Forgets the next idle names behind that one; returns the last of them, if there may be more.
   */
  Optional<byte[]> slice(byte[] after, long retentionMicros) {
    List<byte[]> idle = connections.read("clean-up", c -> idle(c, after, retentionMicros));
    for (byte[] name : idle) {
      connections.write("clean-up", c -> forget(c, name, retentionMicros));
    }
    return idle.size() == SLICE ? Optional.of(idle.get(SLICE - 1)) : Optional.empty();
  }

  private List<byte[]> idle(Connection connection, byte[] after, long retentionMicros)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(idleSql)) {
      statement.setBytes(1, after);
      statement.setLong(2, retentionMicros);
      List<byte[]> names = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          names.add(result.getBytes(1));
        }
      }
      return names;
    }
  }

  private int forget(Connection connection, byte[] name, long retentionMicros) throws SQLException {
    return Connections.inTransaction(
        connection,
        c -> {
          if (!lock(c, name)) {
            return 0;
          }
          int forgotten;
          try (PreparedStatement entry = c.prepareStatement(forgetSql)) {
            entry.setBytes(1, name);
            entry.setLong(2, retentionMicros);
            forgotten = entry.executeUpdate();
          }
          try (PreparedStatement row =
              c.prepareStatement("DELETE FROM %s WHERE name = ?".formatted(lockTable))) {
            row.setBytes(1, name);
            row.executeUpdate();
          }
          return forgotten;
        });
  }

  /** Locks a row that nobody has locked, until the end of the transaction. */
  private boolean lock(Connection connection, byte[] name) throws SQLException {
    try (PreparedStatement lock =
        connection.prepareStatement(
            "SELECT name FROM %s WHERE name = ? FOR UPDATE SKIP LOCKED".formatted(lockTable))) {
      lock.setBytes(1, name);
      try (ResultSet result = lock.executeQuery()) {
        return result.next();
      }
    }
  }
}
