package dev.pawl.jdbc.rowlock;

import dev.pawl.LockInfo;
import dev.pawl.PawlException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Listing;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The durable part of the row-lock strategy: the highest token of each name, and who took it last.
 * Written only by whoever has locked the name's row, and committed at once.
 */
final class RowLockLedger {

  private static final Logger LOG = LoggerFactory.getLogger(RowLockLedger.class);

  private final Connections connections;
  private final Dialect dialect;
  private final String table;
  private final String lockTable;

  RowLockLedger(Connections connections, Dialect dialect, String table, String lockTable) {
    this.connections = connections;
    this.dialect = dialect;
    this.table = table;
    this.lockTable = lockTable;
  }

  /** What is written about a name; no claim if nobody holds it. */
  record Entry(
      long lastToken,
      @Nullable String claim,
      int span,
      long leaseMicros,
      long sinceMicros,
      String label,
      String actor) {}

  /** The entry of a name, if there is one, and the clock. */
  record Reading(long nowMicros, @Nullable Entry entry) {}

  private Reading read(String name) {
    return connections.read("read", c -> read(c, name));
  }

  private Reading read(Connection connection, String name) throws SQLException {
    String sql =
        """
        SELECT c.now_us, last_token, claim, span, lease_us, since_us, label, actor
        FROM (SELECT %s AS now_us) c LEFT JOIN %s r ON r.name = ?
        """
            .formatted(dialect.now(), table);
    return Sql.one(
            connection,
            sql,
            result -> {
              long nowMicros = result.getLong(1);
              result.getLong(2);
              return new Reading(nowMicros, result.wasNull() ? null : entry(result, 2));
            },
            Utf8.bytes(name))
        .orElseThrow();
  }

  private static Entry entry(ResultSet result, int first) throws SQLException {
    byte @Nullable [] claim = result.getBytes(first + 1);
    return new Entry(
        result.getLong(first),
        claim == null ? null : Utf8.text(claim),
        result.getInt(first + 2),
        result.getLong(first + 3),
        result.getLong(first + 4),
        Utf8.text(result.getBytes(first + 5)),
        Utf8.text(result.getBytes(first + 6)));
  }

  /**
   * Writes a new holder with the next token; nothing if the row's lock was lost on the way.
   *
   * <p>The lock is on one connection and the entry on another, so that the first may break while
   * the second works. The entry is therefore read where the lock is, written only where nobody else
   * has entered since, and counts only if the lock is still there afterwards (I1, I3).
   */
  Optional<Grant> enter(Command.Acquire command, RowLockConnections.Lock lock) {
    for (Optional<Reading> seen = read(lock, command.name());
        seen.isPresent();
        seen = read(lock, command.name())) {
      Grant grant = next(command, seen.get());
      Entry before = seen.get().entry();
      if (connections.write("acquire", c -> write(c, command, grant, before))) {
        if (lock.heartbeat().isPresent()) {
          return Optional.of(grant);
        }
        leave(command.name(), grant, grant.token() + grant.span() - 1);
        return Optional.empty();
      }
    }
    return Optional.empty();
  }

  /** Returns who holds a name, as far as the ledger knows. */
  Contention contention(String name) {
    Reading reading = read(name);
    Entry entry = reading.entry();
    long now = reading.nowMicros();
    return entry == null || entry.claim() == null
        ? new Contention("", now, now, 0, 0, now)
        : new Contention(entry.label(), entry.sinceMicros(), now + entry.leaseMicros(), 1, 0, now);
  }

  private Optional<Reading> read(RowLockConnections.Lock lock, String name) {
    return lock.on(connection -> read(connection, name));
  }

  private static Grant next(Command.Acquire command, Reading reading) {
    Entry entry = reading.entry();
    long now = reading.nowMicros();
    long token = entry == null ? now : Math.max(entry.lastToken() + 1, now);
    return new Grant(command.claim(), token, command.span(), now + command.leaseMicros(), now);
  }

  /** Writes an entry in place of the one that was read; false if that one is gone. */
  private boolean write(
      Connection connection, Command.Acquire command, Grant grant, @Nullable Entry before)
      throws SQLException {
    String sql =
        before == null
            ? """
              INSERT INTO %s (last_token, claim, span, lease_us, since_us, label, actor, name)
              VALUES (?, ?, ?, ?, ?, ?, ?, ?)"""
            : """
              UPDATE %s SET last_token = ?, claim = ?, span = ?, lease_us = ?, since_us = ?,
                label = ?, actor = ? WHERE name = ? AND last_token = ?""";
    List<Object> parameters =
        new ArrayList<>(
            List.of(
                grant.token() + grant.span() - 1,
                Utf8.bytes(command.claim().toString()),
                command.span(),
                command.leaseMicros(),
                grant.nowMicros(),
                Utf8.bytes(command.label()),
                Utf8.bytes(command.actor()),
                Utf8.bytes(command.name())));
    if (before != null) {
      parameters.add(before.lastToken());
    }
    try {
      return Sql.update(connection, sql.formatted(table), parameters.toArray()) == 1;
    } catch (SQLException e) {
      if (before == null && dialect.isDuplicate(e)) {
        return false;
      }
      throw e;
    }
  }

  /** Writes that a holder has left, and gives back the tokens it did not use. */
  void leave(String name, Grant grant, long usedToken) {
    long lastToken = grant.token() + grant.span() - 1;
    long used = usedToken >= grant.token() && usedToken < lastToken ? usedToken : lastToken;
    try {
      String sql =
          "UPDATE %s SET claim = NULL, last_token = ? WHERE name = ? AND claim = ?"
              .formatted(table);
      connections.write(
          "release",
          c -> Sql.update(c, sql, used, Utf8.bytes(name), Utf8.bytes(grant.claim().toString())));
    } catch (PawlException e) {
      // The lock is freed all the same; what stands in the ledger is corrected by the next one.
      LOG.debug("the end of a row lock was not written: {}", e.getMessage());
    }
  }

  void setActor(String name, String actor) {
    String sql = "UPDATE %s SET actor = ? WHERE name = ?".formatted(table);
    connections.write("renew", c -> Sql.update(c, sql, Utf8.bytes(actor), Utf8.bytes(name)));
  }

  /** Returns the names that are held, by whether their rows are locked. */
  List<LockInfo> list(Listing listing) {
    return connections.read(
        "list",
        c -> {
          Set<String> unlocked =
              new HashSet<>(
                  ofPrefix(
                      c,
                      "SELECT name FROM %s WHERE name >= ?%s" + " FOR UPDATE SKIP LOCKED",
                      lockTable,
                      listing,
                      RowLockLedger::name));
          return ofPrefix(
                  c,
                  """
              SELECT name, last_token, claim, span, lease_us, since_us, label, actor FROM %s
              WHERE name >= ?%s AND claim IS NOT NULL ORDER BY name
              """,
                  table,
                  listing,
                  result -> info(name(result), entry(result, 2)))
              .stream()
              .filter(info -> !unlocked.contains(info.name()))
              .limit(listing.limit())
              .toList();
        });
  }

  private static <T> List<T> ofPrefix(
      Connection connection, String sql, String table, Listing listing, Sql.Reading<T> reading)
      throws SQLException {
    byte[] prefix = Utf8.bytes(listing.prefix());
    Optional<byte[]> end = Utf8.after(prefix);
    return end.isPresent()
        ? Sql.all(connection, sql.formatted(table, " AND name < ?"), reading, prefix, end.get())
        : Sql.all(connection, sql.formatted(table, ""), reading, prefix);
  }

  private static String name(ResultSet result) throws SQLException {
    return Utf8.text(result.getBytes(1));
  }

  private static LockInfo info(String name, Entry entry) {
    LockInfo.Holder holder =
        new LockInfo.Holder(
            entry.claim() == null ? "" : entry.claim(),
            entry.label(),
            entry.actor(),
            true,
            Command.EVERYTHING,
            entry.lastToken() - entry.span() + 1,
            Instant.EPOCH.plus(entry.sinceMicros(), ChronoUnit.MICROS),
            Duration.of(entry.leaseMicros(), ChronoUnit.MICROS));
    return new LockInfo(name, entry.lastToken(), OptionalLong.empty(), List.of(holder), List.of());
  }
}
