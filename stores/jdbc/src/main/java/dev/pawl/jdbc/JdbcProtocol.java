package dev.pawl.jdbc;

import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * The fast statements: one takes a free name, one frees a name that nobody waits for. Everything
 * else goes by way of {@link #rows}. The texts are made once, so that a driver finds the statement
 * it has prepared.
 */
abstract class JdbcProtocol {

  final RowTable rows;
  private final String clockSql;
  private final String releaseSql;
  private final String markingReleaseSql;
  private final String deleteSql;

  JdbcProtocol(SqlDatabase database, JdbcOptions options, String now) {
    String table = options.table("lock");
    this.rows = new RowTable(database, table, now);
    this.clockSql = "SELECT " + now;
    this.markingReleaseSql =
        """
        UPDATE %1$s SET version = version + 1, until_us = 0,
          last_token = CASE WHEN ? BETWEEN token AND last_token THEN ? ELSE last_token END,
          mark_until_us = CASE WHEN mark < ? THEN %3$s(mark_until_us, %2$s + ?)
            ELSE mark_until_us END,
          mark = CASE WHEN mark < ? THEN ? ELSE mark END
        WHERE name = ? AND claim = ? AND until_us > %2$s
        """
            .formatted(table, now, database.greatest());
    this.releaseSql = markingReleaseSql + database.unflushed();
    this.deleteSql =
        """
        DELETE FROM %1$s WHERE name = ? AND claim = ? AND until_us > %2$s AND mark = -1
          AND ? < %2$s
        """
                .formatted(table, now)
            + database.unflushed();
  }

  static JdbcProtocol of(SqlDatabase database, JdbcOptions options) {
    return of(database, options, database.now());
  }

  /** Returns the statements with a clock of their own, an expression in microseconds. */
  static JdbcProtocol of(SqlDatabase database, JdbcOptions options, String now) {
    return switch (database) {
      case SQLITE, POSTGRESQL -> new UpsertProtocol(database, options, now);
      case MARIADB -> new MariaDbProtocol(options, now);
      case MYSQL -> new MysqlProtocol(options, now);
      case H2 -> new H2Protocol(options, now);
    };
  }

  /** What came of the fast acquire. */
  sealed interface Attempt {

    /** The name was free, and is taken. */
    record Granted(Grant grant) implements Attempt {}

    /** The name is not free, as far as one can tell from this row. */
    record Taken(Row row) implements Attempt {}

    /** The name is not free, or just was not; its row has to be read. */
    record Unknown() implements Attempt {}
  }

  /** Takes the name if it is free, in one statement where it was used before. */
  abstract Attempt acquire(Connection connection, Command.Acquire command) throws SQLException;

  /** Frees the name if the claim is its only holder and nobody waits, in one statement. */
  boolean release(Connection connection, Command.Release command) throws SQLException {
    long mark = command.mark().orElse(Row.NO_MARK);
    String sql = command.mark().isPresent() ? markingReleaseSql : releaseSql;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, command.usedToken());
      statement.setLong(2, command.usedToken());
      statement.setLong(3, mark);
      statement.setLong(4, command.keepMicros());
      statement.setLong(5, mark);
      statement.setLong(6, mark);
      statement.setBytes(7, Row.bytes(command.name()));
      statement.setBytes(8, Row.bytes(command.claim().toString()));
      return statement.executeUpdate() == 1;
    }
  }

  /** Frees the name by deleting its row, if the next token from the clock is a higher one. */
  boolean releaseByDelete(Connection connection, Command.Release command) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(deleteSql)) {
      statement.setBytes(1, Row.bytes(command.name()));
      statement.setBytes(2, Row.bytes(command.claim().toString()));
      statement.setLong(3, command.usedToken());
      return statement.executeUpdate() == 1;
    }
  }

  /** Reads the clock. */
  long nowMicros(Connection connection) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(clockSql);
        ResultSet result = statement.executeQuery()) {
      result.next();
      return result.getLong(1);
    }
  }

  /** Executes a statement that returns clock, token and end of a grant, if it made one. */
  static Attempt grant(PreparedStatement statement, Command.Acquire command) throws SQLException {
    return written(
            statement,
            r ->
                new Grant(
                    command.claim(), r.getLong(2), command.span(), r.getLong(3), r.getLong(1)))
        .<Attempt>map(Attempt.Granted::new)
        .orElseGet(Attempt.Unknown::new);
  }

  /** What a row says. */
  @FunctionalInterface
  interface Reading<T> {
    T of(ResultSet result) throws SQLException;
  }

  /**
   * Executes a statement that writes and returns at most one row, and reads to the end of what it
   * returns: only then has it ended and committed. SQLite hands out the row before that, and its
   * driver says nothing of a commit that failed to whoever does not ask for the next row (I1).
   */
  static <T> Optional<T> written(PreparedStatement statement, Reading<T> reading)
      throws SQLException {
    try (ResultSet result = statement.executeQuery()) {
      Optional<T> read = Optional.empty();
      while (result.next()) {
        read = Optional.of(reading.of(result));
      }
      return read;
    }
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
