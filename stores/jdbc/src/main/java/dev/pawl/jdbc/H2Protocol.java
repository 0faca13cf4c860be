package dev.pawl.jdbc;

import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * H2: one {@code FINAL TABLE (UPDATE …)}, and an {@code INSERT} for a new name. Not {@code MERGE}:
 * an update judges a row again after it has waited for it.
 */
final class H2Protocol extends JdbcProtocol {

  private final String updateSql;
  private final String insertSql;
  private final String raiseSql;

  H2Protocol(JdbcOptions options, String now) {
    super(SqlDatabase.H2, options, now);
    this.updateSql =
        """
        SELECT since_us, token, until_us FROM FINAL TABLE (UPDATE %1$s SET version = version + 1,
          token = GREATEST(last_token + 1, %2$s),
          last_token = GREATEST(last_token + 1, %2$s) + ? - 1,
          claim = ?, permits = ?, span = ?, label = ?, actor = ?, rest = NULL,
          since_us = %2$s, until_us = %2$s + ?
        WHERE name = ? AND until_us <= %2$s AND mark < ?)
        """
            .formatted(options.table("lock"), now);
    this.insertSql =
        """
        SELECT since_us, token, until_us FROM FINAL TABLE (INSERT INTO %1$s (last_token, claim,
          permits, span, label, actor, until_us, name, version, mark, token, since_us, rest)
        VALUES (%2$s + ? - 1, ?, ?, ?, ?, ?, %2$s + ?, ?, %2$s, -1, %2$s, %2$s, NULL))
        """
            .formatted(options.table("lock"), now);
    this.raiseSql =
        """
        SELECT since_us, token, until_us FROM FINAL TABLE (UPDATE %1$s SET
          token = GREATEST(token, %2$s), last_token = GREATEST(token, %2$s) + span - 1
        WHERE name = ? AND claim = ?)
        """
            .formatted(options.table("lock"), now);
  }

  @Override
  Attempt acquire(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(updateSql)) {
      bind(statement, command);
      statement.setLong(9, command.mark().orElse(Long.MAX_VALUE));
      if (grant(statement, command) instanceof Attempt.Granted granted) {
        return granted;
      }
    }
    Row row = rows.read(connection, command.name());
    return row.exists() ? new Attempt.Taken(row) : insert(connection, command);
  }

  private Attempt insert(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insertSql)) {
      bind(statement, command);
      grant(statement, command);
    } catch (SQLException e) {
      if (JdbcErrors.isDuplicate(e)) {
        return new Attempt.Unknown();
      }
      throw e;
    }
    return raise(connection, command);
  }

  /**
   * Reads the clock once more for the token. An insert has it from its beginning; while it waited
   * for a row to be deleted, others may have come, gone, and left nothing behind (I3).
   */
  private Attempt raise(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(raiseSql)) {
      statement.setBytes(1, Row.bytes(command.name()));
      statement.setBytes(2, Row.bytes(command.claim().toString()));
      return grant(statement, command);
    }
  }

  private static void bind(PreparedStatement statement, Command.Acquire command)
      throws SQLException {
    statement.setInt(1, command.span());
    statement.setBytes(2, Row.bytes(command.claim().toString()));
    statement.setInt(3, command.permits());
    statement.setInt(4, command.span());
    statement.setBytes(5, Row.bytes(command.label()));
    statement.setBytes(6, Row.bytes(command.actor()));
    statement.setLong(7, command.leaseMicros());
    statement.setBytes(8, Row.bytes(command.name()));
  }
}
