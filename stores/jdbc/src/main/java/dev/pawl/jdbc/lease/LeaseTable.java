package dev.pawl.jdbc.lease;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.dialect.Notify;
import dev.pawl.jdbc.dialect.Notify.Notification;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.jdbc.wake.Changes;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Listing;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The table of lease records, as the lock machine uses it: a record is read with its version, and
 * written where it still has that version. The texts are made once, so that a driver finds the
 * statement it has prepared.
 */
public final class LeaseTable implements Changes {

  /** How many names are looked at in one piece of a clean-up. */
  private static final int SLICE = 500;

  private final String table;
  private final Dialect dialect;
  private final Optional<Notify> notify;
  private final String readSql;
  private final String updateSql;
  private final String insertSql;
  private final String deleteSql;
  private final String lockSql;
  private final String sliceSql;

  /** Returns the table of that name. */
  public LeaseTable(Dialect dialect, String table) {
    this.dialect = dialect;
    this.table = table;
    this.notify = dialect.notifies();
    this.lockSql = dialect.lockRecord(table);
    String now = dialect.now();
    this.readSql =
        "SELECT c.now_us, %s FROM (SELECT %s AS now_us) c LEFT JOIN %s l ON l.name = ?"
            .formatted(LeaseRecord.COLUMNS, now, table);
    this.updateSql =
        """
        UPDATE %s SET version = version + 1, last_token = ?, mark = ?, mark_until_us = ?, claim = ?,
          permits = ?, token = ?, span = ?, since_us = ?, until_us = ?, label = ?, actor = ?, rest = ?
        WHERE name = ? AND version = ?
        """
            .formatted(table);
    this.insertSql =
        "INSERT INTO %s (name, %s) VALUES (?, ?, %s)"
            .formatted(table, LeaseRecord.COLUMNS, repeated(LeaseRecord.VALUES, "?", ", "));
    this.deleteSql =
        "DELETE FROM %s WHERE name = ? AND version = ?".formatted(table) + dialect.unflushed();
    this.sliceSql =
        """
        SELECT name, version, CASE WHEN until_us < %2$s - ? AND last_token < %2$s - ?
          AND mark_until_us < %2$s THEN 1 ELSE 0 END
        FROM %1$s WHERE name > ? ORDER BY name%3$s
        """
            .formatted(table, now, dialect.first("" + SLICE));
  }

  /** Returns the statements that need no reading before. */
  LeaseShortcuts shortcuts() {
    return new LeaseShortcuts(dialect, table, this);
  }

  /** A record with its name. */
  public record Named(String name, LeaseRecord record) {}

  /** Reads the record of a name, and the clock even if there is none. */
  public LeaseRecord read(Connection connection, String name) throws SQLException {
    return Sql.one(connection, readSql, result -> LeaseRecord.of(result, 1), Utf8.bytes(name))
        .orElseThrow();
  }

  /**
   * Locks the record of a name until the end of the transaction, and then reads it: with a clock of
   * after the wait.
   */
  LeaseRecord lock(Connection connection, String name) throws SQLException {
    Sql.run(connection, lockSql, Utf8.bytes(name));
    return read(connection, name);
  }

  /** Reads the records of several names; a name without one is not in the answer. */
  Map<String, LeaseRecord> readAll(Connection connection, List<String> names) throws SQLException {
    int places = places(names.size());
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name IN (%s)"
            .formatted(dialect.now(), LeaseRecord.COLUMNS, table, repeated(places, "?", ", "));
    Object[] keys = new Object[places];
    for (int i = 0; i < places; i++) {
      keys[i] = Utf8.bytes(names.get(Math.min(i, names.size() - 1)));
    }
    return byName(Sql.all(connection, sql, LeaseTable::named, keys));
  }

  @Override
  public Map<String, LeaseRecord> since(Connection connection, List<Seen> seen)
      throws SQLException {
    int places = places(seen.size());
    String sql =
        "SELECT name, %s, %s FROM %s WHERE %s"
            .formatted(
                dialect.now(),
                LeaseRecord.COLUMNS,
                table,
                repeated(places, "(name = ? AND version <> ?)", " OR "));
    Object[] known = new Object[2 * places];
    for (int i = 0; i < places; i++) {
      Seen each = seen.get(Math.min(i, seen.size() - 1));
      known[2 * i] = Utf8.bytes(each.name());
      known[2 * i + 1] = each.version();
    }
    return byName(Sql.all(connection, sql, LeaseTable::named, known));
  }

  /**
   * Returns a power of two for that many values, of which the last one is repeated: so there are
   * few statements, and a driver has them prepared.
   */
  private static int places(int values) {
    return values <= 1 ? values : Integer.highestOneBit(values - 1) << 1;
  }

  private static Named named(java.sql.ResultSet result) throws SQLException {
    return new Named(Utf8.text(result.getBytes(1)), LeaseRecord.of(result, 2));
  }

  private static Map<String, LeaseRecord> byName(List<Named> all) {
    Map<String, LeaseRecord> records = new TreeMap<>(Utf8.ORDER);
    all.forEach(each -> records.put(each.name(), each.record()));
    return records;
  }

  /**
   * Reads records in the order of the names' bytes; of a listing of names in use, those that are
   * not free by {@code until_us}. There is no index of that column, which every renewal would pay
   * for: the database looks at all records of the prefix, and sends those that are wanted.
   *
   * @param after the last name that was read before
   */
  public List<Named> list(Connection connection, Listing listing, Optional<String> after)
      throws SQLException {
    Optional<byte[]> end = Utf8.after(Utf8.bytes(listing.prefix()));
    String sql =
        "SELECT name, %s, %s FROM %s WHERE name %s ?%s%s ORDER BY name%s"
            .formatted(
                dialect.now(),
                LeaseRecord.COLUMNS,
                table,
                after.isPresent() ? ">" : ">=",
                end.isPresent() ? " AND name < ?" : "",
                listing.onlyInUse() ? " AND until_us > " + dialect.now() : "",
                dialect.first("?"));
    List<Object> parameters = new ArrayList<>();
    parameters.add(Utf8.bytes(after.orElse(listing.prefix())));
    end.ifPresent(parameters::add);
    parameters.add(listing.limit());
    return Sql.all(connection, sql, LeaseTable::named, parameters.toArray());
  }

  /**
   * Writes a state over the version it was made from; false if that one is gone, and then nobody is
   * notified.
   */
  boolean update(
      Connection connection,
      String name,
      long version,
      LockState state,
      List<Notification> notifications)
      throws SQLException {
    List<@Nullable Object> parameters = updating(name, version, state);
    if (notifications.isEmpty()) {
      return Sql.update(connection, updateSql, parameters.toArray()) == 1;
    }
    for (Notification each : notifications) {
      parameters.add(each.channel());
      parameters.add(each.payload());
    }
    String sql = updateSql + notify.orElseThrow().returning(notifications.size());
    return Sql.one(connection, sql, result -> true, parameters.toArray()).isPresent();
  }

  private static List<@Nullable Object> updating(String name, long version, LockState state) {
    List<@Nullable Object> parameters = new ArrayList<>(LeaseRecord.values(state));
    parameters.add(Utf8.bytes(name));
    parameters.add(version);
    return parameters;
  }

  /**
   * Writes many states in one transaction, in the order of their names, and tells which were
   * written. Only for records nobody else writes in a batch: so nobody waits in a circle.
   */
  boolean[] updateAll(Connection connection, List<Named> records, List<LockState> states)
      throws SQLException {
    List<@Nullable Object[]> parameters = new ArrayList<>();
    for (int i = 0; i < records.size(); i++) {
      Named each = records.get(i);
      parameters.add(updating(each.name(), each.record().version(), states.get(i)).toArray());
    }
    int[] counts =
        Connections.inTransaction(connection, c -> Sql.updateAll(c, updateSql, parameters));
    boolean[] written = new boolean[records.size()];
    for (int i = 0; i < counts.length; i++) {
      written[i] = counts[i] == 1;
    }
    return written;
  }

  /** Writes the first record of a name; false if there is one. Not for grants: see I3. */
  boolean insert(Connection connection, String name, long version, LockState state)
      throws SQLException {
    List<@Nullable Object> parameters = new ArrayList<>();
    parameters.add(Utf8.bytes(name));
    parameters.add(version);
    parameters.addAll(LeaseRecord.values(state));
    try {
      Sql.update(connection, insertSql, parameters.toArray());
      return true;
    } catch (SQLException e) {
      if (dialect.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Deletes a record that has not changed since it was read. */
  boolean delete(Connection connection, String name, long version) throws SQLException {
    return Sql.update(connection, deleteSql, Utf8.bytes(name), version) == 1;
  }

  /**
   * Some names, one after the other by the primary key.
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
    List<Seen> idle = new ArrayList<>();
    List<byte[]> names =
        Sql.all(
            connection,
            sliceSql,
            result -> {
              byte[] name = result.getBytes(1);
              if (result.getInt(3) == 1) {
                idle.add(new Seen(Utf8.text(name), result.getLong(2)));
              }
              return name;
            },
            retentionMicros,
            retentionMicros,
            after);
    return new Slice(
        idle, names.size() == SLICE ? Optional.of(names.get(SLICE - 1)) : Optional.empty());
  }

  private static String repeated(int count, String part, String separator) {
    return String.join(separator, Collections.nCopies(count, part));
  }
}
