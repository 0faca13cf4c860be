package dev.pawl.jdbc;

import dev.pawl.LockInfo;
import dev.pawl.PawlException;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Listing;
import java.sql.Connection;
import java.sql.PreparedStatement;
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
final class RowLedger {

  private static final Logger LOG = LoggerFactory.getLogger(RowLedger.class);

  private final Connections connections;
  private final String table;
  private final String lockTable;
  private final String now;

  RowLedger(Connections connections, SqlDatabase database, JdbcOptions options) {
    this.connections = connections;
    this.table = options.table("row");
    this.lockTable = options.table("row_lock");
    this.now = database.now();
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

  Reading read(String name) {
    return connections.read("read", c -> read(c, name));
  }

  private Reading read(Connection connection, String name) throws SQLException {
    String sql =
        """
        SELECT c.now_us, last_token, claim, span, lease_us, since_us, label, actor
        FROM (SELECT %s AS now_us) c LEFT JOIN %s r ON r.name = ?
        """
            .formatted(now, table);
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(name));
      try (ResultSet result = statement.executeQuery()) {
        result.next();
        long nowMicros = result.getLong(1);
        result.getLong(2);
        return new Reading(nowMicros, result.wasNull() ? null : entry(result, 2));
      }
    }
  }

  private static Entry entry(ResultSet result, int first) throws SQLException {
    byte @Nullable [] claim = result.getBytes(first + 1);
    return new Entry(
        result.getLong(first),
        claim == null ? null : Row.text(claim),
        result.getInt(first + 2),
        result.getLong(first + 3),
        result.getLong(first + 4),
        Row.text(result.getBytes(first + 5)),
        Row.text(result.getBytes(first + 6)));
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
    try (PreparedStatement statement = connection.prepareStatement(sql.formatted(table))) {
      statement.setLong(1, grant.token() + grant.span() - 1);
      statement.setBytes(2, Row.bytes(command.claim().toString()));
      statement.setInt(3, command.span());
      statement.setLong(4, command.leaseMicros());
      statement.setLong(5, grant.nowMicros());
      statement.setBytes(6, Row.bytes(command.label()));
      statement.setBytes(7, Row.bytes(command.actor()));
      statement.setBytes(8, Row.bytes(command.name()));
      if (before != null) {
        statement.setLong(9, before.lastToken());
      }
      return statement.executeUpdate() == 1;
    } catch (SQLException e) {
      if (before == null && JdbcErrors.isDuplicate(e)) {
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
      connections.write(
          "release",
          c -> {
            try (PreparedStatement statement =
                c.prepareStatement(
                    "UPDATE %s SET claim = NULL, last_token = ? WHERE name = ? AND claim = ?"
                        .formatted(table))) {
              statement.setLong(1, used);
              statement.setBytes(2, Row.bytes(name));
              statement.setBytes(3, Row.bytes(grant.claim().toString()));
              return statement.executeUpdate();
            }
          });
    } catch (PawlException e) {
      // The lock is freed all the same; what stands in the ledger is corrected by the next one.
      LOG.debug("the end of a row lock was not written: {}", e.getMessage());
    }
  }

  void setActor(String name, String actor) {
    connections.write(
        "renew",
        c -> {
          try (PreparedStatement statement =
              c.prepareStatement("UPDATE %s SET actor = ? WHERE name = ?".formatted(table))) {
            statement.setBytes(1, Row.bytes(actor));
            statement.setBytes(2, Row.bytes(name));
            return statement.executeUpdate();
          }
        });
  }

  /** Returns the names that are held, by whether their rows are locked. */
  List<LockInfo> list(Listing listing) {
    return connections.read(
        "list",
        c -> {
          Set<String> unlocked = unlocked(c, listing.prefix());
          String sql =
              """
              SELECT name, last_token, claim, span, lease_us, since_us, label, actor FROM %s
              WHERE name >= ? AND claim IS NOT NULL ORDER BY name
              """
                  .formatted(table);
          List<LockInfo> infos = new ArrayList<>();
          try (PreparedStatement statement = c.prepareStatement(sql)) {
            statement.setBytes(1, Row.bytes(listing.prefix()));
            try (ResultSet result = statement.executeQuery()) {
              while (result.next() && infos.size() < listing.limit()) {
                String name = Row.text(result.getBytes(1));
                if (!name.startsWith(listing.prefix())) {
                  break;
                }
                if (!unlocked.contains(name)) {
                  infos.add(info(name, entry(result, 2)));
                }
              }
            }
          }
          return infos;
        });
  }

  private Set<String> unlocked(Connection connection, String prefix) throws SQLException {
    Optional<byte[]> end = Bytes.after(Row.bytes(prefix));
    String sql =
        "SELECT name FROM %s WHERE name >= ?%s FOR UPDATE SKIP LOCKED"
            .formatted(lockTable, end.isPresent() ? " AND name < ?" : "");
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setBytes(1, Row.bytes(prefix));
      if (end.isPresent()) {
        statement.setBytes(2, end.get());
      }
      Set<String> names = new HashSet<>();
      try (ResultSet result = statement.executeQuery()) {
        while (result.next()) {
          names.add(Row.text(result.getBytes(1)));
        }
      }
      return names;
    }
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
