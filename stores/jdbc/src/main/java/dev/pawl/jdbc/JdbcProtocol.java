package dev.pawl.jdbc;

import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The statements on the table of lease rows: what they have in common on all databases. */
abstract class JdbcProtocol {

  /** How many names one statement asks for. */
  static final int CHUNK = 500;

  final String table;
  final String now;
  private final SqlDatabase database;

  JdbcProtocol(SqlDatabase database, JdbcOptions options, String now) {
    this.database = database;
    this.table = options.table("lock");
    this.now = now;
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
    String sql =
        """
        UPDATE %1$s SET version = version + 1, claim = NULL, until_us = 0, label = NULL,
          actor = NULL,
          last_token = %3$s(CASE WHEN ? BETWEEN token AND last_token THEN ? ELSE last_token END,
            CASE WHEN mark < ? THEN %2$s ELSE 0 END),
          mark = CASE WHEN mark < ? THEN ? ELSE mark END
        WHERE name = ? AND claim = ? AND until_us > %2$s
        """
            .formatted(table, now, database.greatest());
    long mark = command.mark().orElse(Row.NO_MARK);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, command.usedToken());
      statement.setLong(2, command.usedToken());
      statement.setLong(3, mark);
      statement.setLong(4, mark);
      statement.setLong(5, mark);
      statement.setBytes(6, Row.bytes(command.name()));
      statement.setBytes(7, Row.bytes(command.claim().toString()));
      return statement.executeUpdate() == 1;
    }
  }

  /** Frees the name by deleting its row, if the next token from the clock is a higher one. */
  boolean releaseByDelete(Connection connection, Command.Release command) throws SQLException {
    String sql =
        "DELETE FROM %s WHERE name = ? AND claim = ? AND until_us > %s AND mark = -1 AND ? < %s"
            .formatted(table, now, now);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(command.name()));
      statement.setBytes(2, Row.bytes(command.claim().toString()));
      statement.setLong(3, command.usedToken());
      return statement.executeUpdate() == 1;
    }
  }

  /** Reads the row of a name, and the clock even if there is none. */
  Row read(Connection connection, String name) throws SQLException {
    String sql =
        "SELECT c.now_us, %s FROM (SELECT %s AS now_us) c LEFT JOIN %s l ON l.name = ?"
            .formatted(Row.COLUMNS, now, table);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(name));
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return Row.of(result, 1);
      }
    }
  }

  /** Reads the rows of several names; a name without a row is not in the answer. */
  Map<String, Row> readAll(Connection connection, List<String> names) throws SQLException {
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name IN (%s)"
            .formatted(now, Row.COLUMNS, table, marks(names.size(), "?"));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.size(); i++) {
        statement.setBytes(i + 1, Row.bytes(names.get(i)));
      }
      return named(statement);
    }
  }

  /** Reads the rows that have changed since the versions that are known of them. */
  Map<String, Row> readChanged(Connection connection, List<Seen> seen) throws SQLException {
    String sql =
        "SELECT name, %s, %s FROM %s WHERE %s"
            .formatted(
                now,
                Row.COLUMNS,
                table,
                String.join(
                    " OR ", Collections.nCopies(seen.size(), "(name = ? AND version <> ?)")));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int i = 1;
      for (Seen each : seen) {
        statement.setBytes(i++, Row.bytes(each.name()));
        statement.setLong(i++, each.version());
      }
      return named(statement);
    }
  }

  /** A name and the version of its row that is known. */
  record Seen(String name, long version) {}

  /** Reads rows in the order of the names' bytes, beginning with {@code prefix}. */
  List<NamedRow> list(Connection connection, String prefix, int limit) throws SQLException {
    Optional<byte[]> end = Bytes.after(Row.bytes(prefix));
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name >= ?%s ORDER BY name LIMIT ?"
            .formatted(now, Row.COLUMNS, table, end.isPresent() ? " AND name < ?" : "");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int i = 1;
      statement.setBytes(i++, Row.bytes(prefix));
      if (end.isPresent()) {
        statement.setBytes(i++, end.get());
      }
      statement.setInt(i, limit);
      List<NamedRow> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.add(new NamedRow(Row.text(result.getBytes(1)), Row.of(result, 2)));
        }
      }
      return rows;
    }
  }

  /** A row with its name. */
  record NamedRow(String name, Row row) {}

  /** Writes a state over the version it was made from; false if that one is gone. */
  boolean update(Connection connection, String name, long version, LockState state)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(updateSql())) {
      bindUpdate(statement, name, version, state);
      return statement.executeUpdate() == 1;
    }
  }

  final String updateSql() {
    return """
        UPDATE %s SET version = version + 1, last_token = ?, mark = ?, claim = ?, permits = ?,
          token = ?, span = ?, since_us = ?, until_us = ?, label = ?, actor = ?, rest = ?
        WHERE name = ? AND version = ?
        """
        .formatted(table);
  }

  static int bindUpdate(PreparedStatement statement, String name, long version, LockState state)
      throws SQLException {
    int i = Row.bind(statement, 1, state);
    statement.setBytes(i++, Row.bytes(name));
    statement.setLong(i++, version);
    return i;
  }

  /**
   * Writes many states in one transaction, in the order of their names, and tells which were
   * written. Only for rows nobody else writes in a batch: so nobody waits in a circle.
   */
  boolean[] updateAll(Connection connection, List<NamedRow> rows, List<LockState> states)
      throws SQLException {
    boolean[] written = new boolean[rows.size()];
    connection.setAutoCommit(false);
    try (PreparedStatement statement = connection.prepareStatement(updateSql())) {
      for (int i = 0; i < rows.size(); i++) {
        bindUpdate(statement, rows.get(i).name(), rows.get(i).row().version(), states.get(i));
        statement.addBatch();
      }
      int[] counts = statement.executeBatch();
      connection.commit();
      for (int i = 0; i < counts.length; i++) {
        written[i] = counts[i] == 1;
      }
      return written;
    } catch (SQLException e) {
      rollBack(connection, e);
      throw e;
    } finally {
      if (!connection.isClosed()) {
        connection.setAutoCommit(true);
      }
    }
  }

  static void rollBack(Connection connection, SQLException e) {
    try {
      connection.rollback();
    } catch (SQLException second) {
      e.addSuppressed(second);
    }
  }

  /** Writes the first row of a name; false if there is one. Not for grants: see I3. */
  boolean insert(Connection connection, String name, long version, LockState state)
      throws SQLException {
    String sql =
        "INSERT INTO %s (name, %s) VALUES (?, ?, %s)".formatted(table, Row.COLUMNS, marks(11, "?"));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(name));
      statement.setLong(2, version);
      Row.bind(statement, 3, state);
      statement.executeUpdate();
      return true;
    } catch (SQLException e) {
      if (JdbcErrors.isDuplicate(e) || isSqliteConstraint(e)) {
        return false;
      }
      throw e;
    }
  }

  private static boolean isSqliteConstraint(SQLException e) {
    return e.getClass().getName().startsWith("org.sqlite") && (e.getErrorCode() & 0xFF) == 19;
  }

  /** Deletes a row that has not changed since it was read. */
  boolean delete(Connection connection, String name, long version) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "DELETE FROM %s WHERE name = ? AND version = ?".formatted(table))) {
      statement.setBytes(1, Row.bytes(name));
      statement.setLong(2, version);
      return statement.executeUpdate() == 1;
    }
  }

  /**
   * Finds names that nobody has used for that long; one by one they are then deleted, so that two
   * nodes that clean up do not wait for each other.
   */
  List<Seen> idle(Connection connection, long retentionMicros, int limit) throws SQLException {
    String sql =
        """
        SELECT name, version FROM %s WHERE until_us < %s - ? AND last_token < %s - ?
          AND (mark = -1 OR last_token < %s - ?) LIMIT ?
        """
            .formatted(table, now, now, now);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, retentionMicros);
      statement.setLong(2, retentionMicros);
      statement.setLong(3, Math.max(retentionMicros, LockState.MARK_RETENTION_MICROS));
      statement.setInt(4, limit);
      List<Seen> idle = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          idle.add(new Seen(Row.text(result.getBytes(1)), result.getLong(2)));
        }
      }
      return idle;
    }
  }

  final String greater(String a, String b) {
    return database.greatest() + "(" + a + ", " + b + ")";
  }

  static String marks(int count, String mark) {
    return String.join(", ", Collections.nCopies(count, mark));
  }

  /** Reads the answer of a statement that returns clock, token and end of a grant. */
  static Grant grant(ResultSet result, Command.Acquire command) throws SQLException {
    return new Grant(
        command.claim(), result.getLong(2), command.span(), result.getLong(3), result.getLong(1));
  }

  static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static Map<String, Row> named(PreparedStatement statement) throws SQLException {
    Map<String, Row> rows = new TreeMap<>(Bytes.ORDER);
    try (ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        rows.put(Row.text(result.getBytes(1)), Row.of(result, 2));
      }
    }
    return rows;
  }
}
