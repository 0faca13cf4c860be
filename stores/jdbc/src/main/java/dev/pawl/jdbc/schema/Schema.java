package dev.pawl.jdbc.schema;

import dev.pawl.PawlException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** The tables of a store: printed for a DBA, or created at first use, and upgraded. */
public final class Schema {

  /** The number of this form of the tables; a store refuses to work on another. */
  public static final int VERSION = 3;

  /** Who loses a race finds that table made at the next attempt: two for each, and some. */
  private static final int MOST_ATTEMPTS = 20;

  private final Connections connections;
  private final Dialect dialect;
  private final Tables tables;
  private final boolean create;

  /** Returns the schema of a store, whose tables are created when missing, or not. */
  public Schema(Connections connections, Dialect dialect, Tables tables, boolean create) {
    this.connections = connections;
    this.dialect = dialect;
    this.tables = tables;
    this.create = create;
  }

  /** Returns the statements that create the tables. */
  public static List<String> statements(Dialect dialect, Tables tables) {
    String bytes = dialect.bytes();
    String key = dialect.keyBytes();
    List<String> statements = new ArrayList<>();
    statements.add(
        """
        CREATE TABLE IF NOT EXISTS %s (
          name %s NOT NULL PRIMARY KEY,
          version BIGINT NOT NULL,
          last_token BIGINT NOT NULL,
          mark BIGINT NOT NULL,
          mark_until_us BIGINT DEFAULT 0 NOT NULL,
          claim %s,
          permits INTEGER NOT NULL,
          token BIGINT NOT NULL,
          span INTEGER NOT NULL,
          since_us BIGINT NOT NULL,
          until_us BIGINT NOT NULL,
          label %s,
          actor %s,
          rest %s
        )%s"""
            .formatted(tables.leases(), key, key, bytes, bytes, bytes, dialect.leaseTableEnd()));
    dialect.leaseTableTuning(tables.leases()).ifPresent(statements::add);
    statements.add(
        """
        CREATE TABLE IF NOT EXISTS %s (
          name %s NOT NULL PRIMARY KEY,
          last_token BIGINT NOT NULL,
          claim %s,
          span INTEGER NOT NULL,
          lease_us BIGINT NOT NULL,
          since_us BIGINT NOT NULL,
          label %s,
          actor %s
        )%s"""
            .formatted(tables.rowLockLedger(), key, key, bytes, bytes, dialect.keyedTableEnd()));
    statements.add(
        """
        CREATE TABLE IF NOT EXISTS %s (
          name %s NOT NULL PRIMARY KEY
        )%s"""
            .formatted(tables.rowLocks(), key, dialect.keyedTableEnd()));
    statements.add(
        """
        CREATE TABLE IF NOT EXISTS %s (
          id %s,
          at_us BIGINT NOT NULL,
          kind VARCHAR(40) NOT NULL,
          name %s NOT NULL,
          token BIGINT NOT NULL,
          node %s NOT NULL,
          details %s NOT NULL
        )%s"""
            .formatted(tables.journal(), dialect.serial(), key, bytes, bytes, dialect.tableEnd()));
    statements.add(registers(dialect, tables));
    statements.add(
        """
        CREATE TABLE IF NOT EXISTS %s (
          id INTEGER NOT NULL PRIMARY KEY,
          version INTEGER NOT NULL
        )%s"""
            .formatted(tables.version(), dialect.tableEnd()));
    statements.add(
        """
        INSERT INTO %1$s (id, version) SELECT 1, %2$d FROM (SELECT 1 AS one) AS once
        WHERE NOT EXISTS (SELECT 1 FROM %1$s)"""
            .formatted(tables.version(), VERSION));
    return statements;
  }

  private static String registers(Dialect dialect, Tables tables) {
    return """
        CREATE TABLE IF NOT EXISTS %s (
          name %s NOT NULL PRIMARY KEY,
          version BIGINT NOT NULL,
          content %s
        )%s"""
        .formatted(
            tables.registers(), dialect.keyBytes(), dialect.bytes(), dialect.keyedTableEnd());
  }

  /** Makes sure that the tables are there and of this version. */
  public void check() {
    for (int attempt = 1; ; attempt++) {
      OptionalInt version = connections.read("schema", c -> version(c, dialect, tables));
      boolean isOld = version.isPresent() && isUpgraded(version.getAsInt()) && create;
      if (version.isPresent() && !isOld) {
        checkVersion(version.getAsInt());
        return;
      }
      if (!create) {
        throw new PawlException(
            connections.describe()
                + " has no table "
                + tables.version()
                + tables.inSchema()
                + ", and it is not to be created: run what JdbcSchema.sql prints");
      }
      // Several may create it at once. IF NOT EXISTS is no protection on PostgreSQL, whose
      // catalogues then report a duplicate table, type or key, each in words of its own: whoever
      // fails, for whatever reason, looks again.
      if (isOld && version.getAsInt() == 1) {
        // Its failure says nothing: somebody may have died after it.
        connections.write("schema", c -> run(c, List.of(addMarkUntil(tables))));
      }
      List<String> statements =
          isOld ? finishingUpgrade(dialect, tables) : statements(dialect, tables);
      Optional<SQLException> failure = connections.write("schema", c -> run(c, statements));
      if (attempt == MOST_ATTEMPTS) {
        throw notCreated(failure);
      }
      if (failure.isPresent()) {
        Connections.pause(attempt);
      }
    }
  }

  private PawlException notCreated(Optional<SQLException> failure) {
    return failure
        .map(e -> connections.failed("creating the tables" + tables.inSchema(), false, e))
        .orElseGet(
            () ->
                new PawlException(
                    tables.version()
                        + " on "
                        + connections.describe()
                        + " was created and cannot be read: is this user allowed to?"));
  }

  /** Tells whether the tables are there, and refuses those of another version. */
  public boolean exists() {
    OptionalInt version = connections.read("schema", c -> version(c, dialect, tables));
    version.ifPresent(number -> checkVersion(number));
    return version.isPresent();
  }

  private void checkVersion(int version) {
    if (version != VERSION) {
      throw new PawlException(
          tables.version()
              + " on "
              + connections.describe()
              + " says version "
              + version
              + ", this Pawl needs "
              + VERSION
              + (isUpgraded(version)
                  ? ": run " + String.join("; ", upgrade(dialect, tables, version))
                  : ": use the Pawl that made it, or another prefix"));
    }
  }

  /** Reads the version of the tables; nothing if there are none. */
  public static OptionalInt version(Connection connection, Dialect dialect, Tables tables)
      throws SQLException {
    try {
      return Sql.one(
              connection, "SELECT version FROM " + tables.version(), result -> result.getInt(1))
          .map(OptionalInt::of)
          .orElseGet(OptionalInt::empty);
    } catch (SQLException e) {
      if (dialect.isConnectionLost(e) || dialect.isRolledBack(e) || dialect.isDenied(e)) {
        throw e;
      }
      return OptionalInt.empty(); // No such table, as far as the many ways to say so go.
    }
  }

  private static boolean isUpgraded(int version) {
    return version >= 1 && version < VERSION;
  }

  /** Returns what makes tables of this version of those of an earlier one. */
  private static List<String> upgrade(Dialect dialect, Tables tables, int from) {
    List<String> statements = new ArrayList<>();
    if (from == 1) {
      statements.add(addMarkUntil(tables));
    }
    statements.addAll(finishingUpgrade(dialect, tables));
    return statements;
  }

  private static String addMarkUntil(Tables tables) {
    return "ALTER TABLE %s ADD COLUMN mark_until_us BIGINT DEFAULT 0 NOT NULL"
        .formatted(tables.leases());
  }

  /** Each may be run again, by somebody else too. */
  private static List<String> finishingUpgrade(Dialect dialect, Tables tables) {
    return List.of(
        "UPDATE %s SET mark_until_us = last_token + %d WHERE mark >= 0 AND mark_until_us = 0"
            .formatted(tables.leases(), Command.MIN_KEEP_MICROS),
        registers(dialect, tables),
        // Fails if there is no such column, for whatever reason.
        "UPDATE %s SET version = %d WHERE (SELECT COUNT(mark_until_us) FROM %s) >= 0"
            .formatted(tables.version(), VERSION, tables.leases()));
  }

  /** Runs the statements; returns what was in the way. */
  private Optional<SQLException> run(Connection connection, List<String> statements)
      throws SQLException {
    for (String sql : statements) {
      try {
        Sql.execute(connection, sql);
      } catch (SQLException e) {
        if (dialect.isConnectionLost(e) || dialect.isRolledBack(e)) {
          throw e;
        }
        return Optional.of(e);
      }
    }
    return Optional.empty();
  }
}
