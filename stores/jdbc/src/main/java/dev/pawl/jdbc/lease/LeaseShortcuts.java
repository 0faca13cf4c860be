package dev.pawl.jdbc.lease;

import dev.pawl.jdbc.dialect.Attempt;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.dialect.Taking;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * The statements that decide by themselves, without the lock machine: one takes a free name, one
 * frees a name that nobody waits for.
 */
final class LeaseShortcuts {

  private final LeaseTable leases;
  private final Taking taking;
  private final String releaseSql;
  private final String markingReleaseSql;
  private final String releaseByDeleteSql;

  LeaseShortcuts(Dialect dialect, String table, LeaseTable leases) {
    String now = dialect.now();
    this.leases = leases;
    this.taking = dialect.taking(table);
    this.markingReleaseSql =
        """
        UPDATE %1$s SET version = version + 1, until_us = 0,
          last_token = CASE WHEN ? BETWEEN token AND last_token THEN ? ELSE last_token END,
          mark_until_us = CASE WHEN mark < ? THEN %3$s(mark_until_us, %2$s + ?)
            ELSE mark_until_us END,
          mark = CASE WHEN mark < ? THEN ? ELSE mark END
        WHERE name = ? AND claim = ? AND until_us > %2$s
        """
            .formatted(table, now, dialect.greatest());
    this.releaseSql = markingReleaseSql + dialect.unflushed();
    this.releaseByDeleteSql =
        """
        DELETE FROM %1$s WHERE name = ? AND claim = ? AND until_us > %2$s AND mark = -1
          AND ? < %2$s - ?
        """
                .formatted(table, now)
            + dialect.unflushed();
  }

  /** Takes the name if it is free, in one statement where it was used before. */
  Attempt take(Connection connection, Command.Acquire command) throws SQLException {
    return taking.take(connection, command, leases::read);
  }

  /** Frees the name if the claim is its only holder and nobody waits, in one statement. */
  boolean release(Connection connection, Command.Release command) throws SQLException {
    long mark = command.mark().orElse(LeaseRecord.NO_MARK);
    return Sql.update(
            connection,
            command.mark().isPresent() ? markingReleaseSql : releaseSql,
            command.usedToken(),
            command.usedToken(),
            mark,
            command.keepMicros(),
            mark,
            mark,
            Utf8.bytes(command.name()),
            Utf8.bytes(command.claim().toString()))
        == 1;
  }

  /**
   * Frees the name by deleting its record, if a statement that began so long ago has a higher token
   * all the same.
   */
  boolean releaseByDelete(Connection connection, Command.Release command, long underWayMicros)
      throws SQLException {
    return Sql.update(
            connection,
            releaseByDeleteSql,
            Utf8.bytes(command.name()),
            Utf8.bytes(command.claim().toString()),
            command.usedToken(),
            underWayMicros)
        == 1;
  }
}
