package dev.pawl.jdbc;

import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** PostgreSQL and SQLite: one {@code INSERT … ON CONFLICT … WHERE free RETURNING}. */
final class UpsertProtocol extends JdbcProtocol {

  private final String acquireSql;

  UpsertProtocol(SqlDatabase database, JdbcOptions options, String now) {
    super(database, options, now);
    // A refusal too is a commit on PostgreSQL, since it has locked the row: one that need not wait.
    this.acquireSql =
        """
        INSERT INTO %1$s AS l (name, version, last_token, mark, claim, permits, token, span,
          since_us, until_us, label, actor, rest)
        VALUES (?, %2$s, %2$s + ? - 1, -1, ?, ?, %2$s, ?, %2$s, %2$s + ?, ?, ?, NULL)
        ON CONFLICT (name) DO UPDATE SET version = l.version + 1,
          token = %3$s, last_token = %3$s + excluded.span - 1,
          claim = excluded.claim, permits = excluded.permits, span = excluded.span,
          since_us = excluded.since_us, until_us = excluded.until_us,
          label = excluded.label, actor = excluded.actor, rest = NULL
        WHERE CASE WHEN l.until_us <= excluded.since_us AND l.mark < ? THEN TRUE
          ELSE NOT (TRUE%4$s) END
        RETURNING since_us, token, until_us
        """
            .formatted(
                options.table("lock"),
                now,
                database.greatest() + "(l.last_token + 1, excluded.token)",
                database.unflushed());
  }

  @Override
  Attempt acquire(Connection connection, Command.Acquire command) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(acquireSql)) {
      statement.setBytes(1, Row.bytes(command.name()));
      statement.setInt(2, command.span());
      statement.setBytes(3, Row.bytes(command.claim().toString()));
      statement.setInt(4, command.permits());
      statement.setInt(5, command.span());
      statement.setLong(6, command.leaseMicros());
      statement.setBytes(7, Row.bytes(command.label()));
      statement.setBytes(8, Row.bytes(command.actor()));
      statement.setLong(9, command.mark().orElse(Long.MAX_VALUE));
      return grant(statement, command);
    }
  }
}
