package dev.pawl.jdbc;

import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * MariaDB: one {@code INSERT … ON DUPLICATE KEY UPDATE … RETURNING}, which changes nothing where
 * the name is not free, and returns the row in any case.
 */
final class MariaDbProtocol extends JdbcProtocol {

  private final String acquireSql;

  MariaDbProtocol(JdbcOptions options, String now) {
    super(SqlDatabase.MARIADB, options, now);
    // Assignments are made from left to right and see the ones before: until_us, by which one
    // tells whether the name is free, comes last. In the mode SIMULTANEOUS_ASSIGNMENT, which is
    // part of ORACLE, they do not: none uses what another has assigned.
    String free = "until_us <= VALUE(since_us) AND mark < ?";
    this.acquireSql =
        """
        INSERT INTO %1$s (name, version, last_token, mark, claim, permits, token, span,
          since_us, until_us, label, actor, rest)
        VALUES (?, %2$s, %2$s + ? - 1, -1, ?, ?, %2$s, ?, %2$s, %2$s + ?, ?, ?, NULL)
        ON DUPLICATE KEY UPDATE
          version = IF(%3$s, version + 1, version),
          token = IF(%3$s, GREATEST(last_token + 1, VALUE(token)), token),
          last_token =
            IF(%3$s, GREATEST(last_token + 1, VALUE(token)) + VALUE(span) - 1, last_token),
          claim = IF(%3$s, VALUE(claim), claim),
          permits = IF(%3$s, VALUE(permits), permits),
          span = IF(%3$s, VALUE(span), span),
          since_us = IF(%3$s, VALUE(since_us), since_us),
          label = IF(%3$s, VALUE(label), label),
          actor = IF(%3$s, VALUE(actor), actor),
          rest = IF(%3$s, NULL, rest),
          until_us = IF(%3$s, VALUE(until_us), until_us)
        RETURNING %2$s, %4$s
        """
            .formatted(options.table("lock"), now, free, Row.COLUMNS);
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
      for (int i = 9; i < 20; i++) {
        statement.setLong(i, command.mark().orElse(Long.MAX_VALUE));
      }
      return written(statement, result -> attempt(Row.of(result, 1), command)).orElseThrow();
    }
  }

  /** A grant that was made by this very statement began at its time, and has its lease. */
  private static Attempt attempt(Row row, Command.Acquire command) {
    if (row.state().holders().size() == 1) {
      LockState.Holder holder = row.state().holders().get(0);
      if (holder.claim().equals(command.claim())
          && holder.sinceMicros() == row.nowMicros()
          && holder.untilMicros() == row.nowMicros() + command.leaseMicros()) {
        return new Attempt.Granted(row.grant(holder));
      }
    }
    return new Attempt.Taken(row);
  }
}
