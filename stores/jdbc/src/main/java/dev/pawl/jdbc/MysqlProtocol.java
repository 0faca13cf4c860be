package dev.pawl.jdbc;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * MySQL, which cannot return a row it writes: one {@code UPDATE}, whose new token comes back as the
 * last insert id. A new name costs a look and an {@code INSERT} more.
 */
final class MysqlProtocol extends JdbcProtocol {

  private final String updateSql;
  private final String insertSql;

  MysqlProtocol(JdbcOptions options, String now) {
    super(SqlDatabase.MYSQL, options, now);
    // Right whether assignments see the ones before or not, as in the mode SIMULTANEOUS_ASSIGNMENT.
    this.updateSql =
        """
        UPDATE %1$s SET version = version + 1,
          token = LAST_INSERT_ID(GREATEST(last_token + 1, %2$s)),
          last_token = GREATEST(last_token + 1, %2$s) + ? - 1,
          claim = ?, permits = ?, span = ?, label = ?, actor = ?, rest = NULL,
          since_us = %2$s, until_us = %2$s + ?
        WHERE name = ? AND until_us <= %2$s AND mark < ?
        """
            .formatted(options.table("lock"), now);
    this.insertSql =
        """
        INSERT IGNORE INTO %1$s (last_token, claim, permits, span, label, actor, until_us, name,
          version, mark, token, since_us, rest)
        VALUES (%2$s + ? - 1, ?, ?, ?, ?, ?, %2$s + ?, ?, %2$s, -1, LAST_INSERT_ID(%2$s), %2$s,
          NULL)
        """
            .formatted(options.table("lock"), now);
  }

  @Override
  Attempt acquire(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(updateSql, Statement.RETURN_GENERATED_KEYS)) {
      bind(statement, command);
      statement.setLong(9, command.mark().orElse(Long.MAX_VALUE));
      if (statement.executeUpdate() == 1) {
        return new Attempt.Granted(last(statement, command));
      }
    }
    // Most often the name is held, and whoever asked wants to know by whom.
    Row row = rows.read(connection, command.name());
    return row.exists() ? new Attempt.Taken(row) : insert(connection, command);
  }

  /** IGNORE makes nothing of a row that another was faster to make. */
  private Attempt insert(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(insertSql, Statement.RETURN_GENERATED_KEYS)) {
      bind(statement, command);
      return statement.executeUpdate() == 1
          ? new Attempt.Granted(last(statement, command))
          : new Attempt.Unknown();
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

  /**
   * The token is the clock, or a little more: good enough as the reading of the clock from which
   * the node counts, since only differences of one answer matter.
   */
  private static Grant last(PreparedStatement statement, Command.Acquire command)
      throws SQLException {
    try (ResultSet keys = statement.getGeneratedKeys()) {
      keys.next();
      long token = keys.getLong(1);
      return new Grant(
          command.claim(), token, command.span(), token + command.leaseMicros(), token);
    }
  }
}
