package dev.pawl.jdbc.rowlock;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * The clean-up of the row-lock strategy: forgets names whose rows nobody has locked, and whose last
 * token is that old. In slices by name, each of which begins behind the one before: names that are
 * held for long keep nobody from those behind them.
 */
final class RowLockCleanUp {

  private static final int SLICE = 100;

  private final Connections connections;
  private final String idleSql;
  private final String lockSql;
  private final String forgetSql;
  private final String deleteSql;

  RowLockCleanUp(Connections connections, Dialect dialect, String table, String lockTable) {
    this.connections = connections;
    String now = dialect.now();
    this.idleSql =
        "SELECT name FROM %s WHERE name > ? AND last_token < %s - ? ORDER BY name%s"
            .formatted(table, now, dialect.first("" + SLICE));
    this.lockSql = "SELECT name FROM %s WHERE name = ? FOR UPDATE SKIP LOCKED".formatted(lockTable);
    this.deleteSql = "DELETE FROM %s WHERE name = ?".formatted(lockTable);
    this.forgetSql = "DELETE FROM %s WHERE name = ? AND last_token < %s - ?".formatted(table, now);
  }

  /**
   * Forgets the next idle names behind that one; returns the last of them, if there may be more.
   */
  Optional<byte[]> slice(byte[] after, long retentionMicros) {
    List<byte[]> idle =
        connections.read(
            "clean-up",
            c -> Sql.all(c, idleSql, result -> result.getBytes(1), after, retentionMicros));
    for (byte[] name : idle) {
      connections.write("clean-up", c -> forget(c, name, retentionMicros));
    }
    return idle.size() == SLICE ? Optional.of(idle.get(SLICE - 1)) : Optional.empty();
  }

  private int forget(Connection connection, byte[] name, long retentionMicros) throws SQLException {
    return Connections.inTransaction(
        connection,
        c -> {
          // Nobody else has locked the row, and nobody does until the end of the transaction.
          if (Sql.one(c, lockSql, result -> true, name).isEmpty()) {
            return 0;
          }
          int forgotten = Sql.update(c, forgetSql, name, retentionMicros);
          Sql.update(c, deleteSql, name);
          return forgotten;
        });
  }
}
