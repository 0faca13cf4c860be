package dev.pawl.jdbc;

import dev.pawl.machine.LockState;
import dev.pawl.spi.Listing;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The table of lease rows as the lock machine uses it: a row is read with its version, and written
 * where it still has that version.
 */
final class RowTable {

  /** How many names are looked at in one piece of a clean-up. */
  private static final int SLICE = 500;

  private final String table;
  private final String now;
  private final SqlDatabase database;
  private final String readSql;
  private final String updateSql;
  private final String insertSql;
  private final String deleteSql;
  private final String lockSql;
  private final String sliceSql;

  RowTable(SqlDatabase database, String table, String now) {
    this.database = database;
    this.table = table;
    this.now = now;
    this.readSql =
        "SELECT c.now_us, %s FROM (SELECT %s AS now_us) c LEFT JOIN %s l ON l.name = ?"
            .formatted(Row.COLUMNS, now, table);
    this.updateSql =
        """
        UPDATE %s SET version = version + 1, last_token = ?, mark = ?, mark_until_us = ?, claim = ?,
          permits = ?, token = ?, span = ?, since_us = ?, until_us = ?, label = ?, actor = ?, rest = ?
        WHERE name = ? AND version = ?
        """
            .formatted(table);
    this.insertSql =
        "INSERT INTO %s (name, %s) VALUES (?, ?, %s)"
            .formatted(table, Row.COLUMNS, repeated(12, "?", ", "));
    // SQLite locks the file for whoever writes, and nothing for whoever reads.
    this.lockSql =
        (database == SqlDatabase.SQLITE
                ? "UPDATE %s SET version = version WHERE name = ?"
                : "SELECT version FROM %s WHERE name = ? FOR UPDATE")
            .formatted(table);
    this.deleteSql =
        "DELETE FROM %s WHERE name = ? AND version = ?".formatted(table) + database.unflushed();
    this.sliceSql =
        """
        SELECT name, version, CASE WHEN until_us < %2$s - ? AND last_token < %2$s - ?
          AND mark_until_us < %2$s THEN 1 ELSE 0 END
        FROM %1$s WHERE name > ? ORDER BY name%3$s
        """
            .formatted(table, now, database.first("" + SLICE));
  }

  /** A row with its name. */
  record NamedRow(String name, Row row) {}

  /** A name and the version of its row that is known. */
  record Seen(String name, long version) {}

  /** Reads the row of a name, and the clock even if there is none. */
  Row read(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(readSql)) {
      statement.setBytes(1, Row.bytes(name));
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        return Row.of(result, 1);
      }
    }
  }

  /**
   * Locks the row of a name until the end of the transaction, and then reads it: with a clock of
   * after the wait.
   */
  Row lock(Connection connection, String name) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(lockSql)) {
      statement.setBytes(1, Row.bytes(name));
      statement.execute();
    }
    return read(connection, name);
  }

  /** Reads the rows of several names; a name without a row is not in the answer. */
  Map<String, Row> readAll(Connection connection, List<String> names) throws SQLException {
    int places = places(names.size());
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name IN (%s)"
            .formatted(now, Row.COLUMNS, table, repeated(places, "?", ", "));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < places; i++) {
        statement.setBytes(i + 1, Row.bytes(names.get(Math.min(i, names.size() - 1))));
      }
      return named(statement);
    }
  }

  /** Reads the rows that have changed since the versions that are known of them. */
  Map<String, Row> readChanged(Connection connection, List<Seen> seen) throws SQLException {
    int places = places(seen.size());
    String sql =
        "SELECT name, %s, %s FROM %s WHERE %s"
            .formatted(
                now, Row.COLUMNS, table, repeated(places, "(name = ? AND version <> ?)", " OR "));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < places; i++) {
        Seen each = seen.get(Math.min(i, seen.size() - 1));
        statement.setBytes(2 * i + 1, Row.bytes(each.name()));
        statement.setLong(2 * i + 2, each.version());
      }
      return named(statement);
    }
  }

  /**
   * Returns a power of two for that many values, of which the last one is repeated: so there are
   * few statements, and a driver has them prepared.
   */
  private static int places(int values) {
    return values <= 1 ? values : Integer.highestOneBit(values - 1) << 1;
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

  /**
   * Reads rows in the order of the names' bytes; of a listing of names in use, those that are not
   * free by {@code until_us}. There is no index of that column, which every renewal would pay for:
   * the database looks at all rows of the prefix, and sends those that are wanted.
   *
   * @param after the last name that was read before
   */
  List<NamedRow> list(Connection connection, Listing listing, Optional<String> after)
      throws SQLException {
    Optional<byte[]> end = Bytes.after(Row.bytes(listing.prefix()));
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name %s ?%s%s ORDER BY name%s"
            .formatted(
                now,
                Row.COLUMNS,
                table,
                after.isPresent() ? ">" : ">=",
                end.isPresent() ? " AND name < ?" : "",
                listing.onlyInUse() ? " AND until_us > " + now : "",
                database.first("?"));
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      int i = 1;
      statement.setBytes(i++, Row.bytes(after.orElse(listing.prefix())));
      if (end.isPresent()) {
        statement.setBytes(i++, end.get());
      }
      statement.setInt(i, listing.limit());
      List<NamedRow> rows = new ArrayList<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          rows.add(new NamedRow(Row.text(result.getBytes(1)), Row.of(result, 2)));
        }
      }
      return rows;
    }
  }

  /** Writes a state over the version it was made from; false if that one is gone. */
  boolean update(Connection connection, String name, long version, LockState state)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(updateSql)) {
      bindUpdate(statement, name, version, state);
      return statement.executeUpdate() == 1;
    }
  }

  String updateSql() {
    return updateSql;
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
    int[] counts =
        Connections.inTransaction(
            connection,
            c -> {
              try (PreparedStatement statement = c.prepareStatement(updateSql)) {
                for (int i = 0; i < rows.size(); i++) {
                  NamedRow row = rows.get(i);
                  bindUpdate(statement, row.name(), row.row().version(), states.get(i));
                  statement.addBatch();
                }
                return statement.executeBatch();
              }
            });
    boolean[] written = new boolean[rows.size()];
    for (int i = 0; i < counts.length; i++) {
      written[i] = counts[i] == 1;
    }
    return written;
  }

  /** Writes the first row of a name; false if there is one. Not for grants: see I3. */
  boolean insert(Connection connection, String name, long version, LockState state)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(insertSql)) {
      statement.setBytes(1, Row.bytes(name));
      statement.setLong(2, version);
      Row.bind(statement, 3, state);
      statement.executeUpdate();
      return true;
    } catch (SQLException e) {
      if (JdbcErrors.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Deletes a row that has not changed since it was read. */
  boolean delete(Connection connection, String name, long version) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(deleteSql)) {
      statement.setBytes(1, Row.bytes(name));
      statement.setLong(2, version);
      return statement.executeUpdate() == 1;
    }
  }

  /**
   * Some names in a row, by the primary key.
   *
   * @param idle those that nobody has used for long; one by one they are then deleted, so that two
   *     nodes that clean up do not wait for each other
   * @param last the last name, if there may be more
   */
  record Slice(List<Seen> idle, Optional<byte[]> last) {}

  /**
   * Looks at the next names behind that one. By the primary key, and so many at a time: an index on
   * what tells that a name is idle would have to be written with every command.
   */
  Slice slice(Connection connection, byte[] after, long retentionMicros) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sliceSql)) {
      statement.setLong(1, retentionMicros);
      statement.setLong(2, retentionMicros);
      statement.setBytes(3, after);
      List<Seen> idle = new ArrayList<>();
      byte[] last = after;
      int count = 0;
      try (ResultSet result = statement.executeQuery()) {
        for (; result.next(); count++) {
          last = result.getBytes(1);
          if (result.getInt(3) == 1) {
            idle.add(new Seen(Row.text(last), result.getLong(2)));
          }
        }
      }
      return new Slice(idle, count == SLICE ? Optional.of(last) : Optional.empty());
    }
  }

  private static String repeated(int count, String part, String separator) {
    return String.join(separator, Collections.nCopies(count, part));
  }
}
