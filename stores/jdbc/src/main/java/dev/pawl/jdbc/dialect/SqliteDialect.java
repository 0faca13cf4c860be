package dev.pawl.jdbc.dialect;

import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.Finding;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;

/** SQLite 3.42 or later: a file, with one writer at a time. */
public final class SqliteDialect extends Dialect {

  private static final int PERM = 3;
  private static final int BUSY = 5;
  private static final int LOCKED = 6;
  private static final int READONLY = 8;
  private static final int IO_ERROR = 10;
  private static final int FULL = 13;
  private static final int CANNOT_OPEN = 14;
  private static final int CONSTRAINT = 19;

  private static final int LEAST_BUSY_MILLIS = 1_000;

  /** Returns it. */
  public SqliteDialect() {
    this("CAST(unixepoch('subsec') * 1000 AS INTEGER) * 1000");
  }

  private SqliteDialect(String now) {
    super(now);
  }

  @Override
  public Dialect withClock(String expression) {
    return new SqliteDialect(expression);
  }

  @Override
  public String title() {
    return "SQLite";
  }

  @Override
  public String scheme() {
    return "jdbc:sqlite:";
  }

  @Override
  public String form() {
    return "sqlite:PATH";
  }

  @Override
  public String driver() {
    return "org.xerial:sqlite-jdbc";
  }

  @Override
  public String driverClass() {
    return "org.sqlite.JDBC";
  }

  @Override
  public boolean isOf(DatabaseMetaData metaData) throws SQLException {
    return metaData.getDatabaseProductName().toLowerCase(Locale.ROOT).equals("sqlite");
  }

  @Override
  public String bytes() {
    return "BLOB";
  }

  @Override
  public String keyBytes() {
    return "BLOB";
  }

  @Override
  public String serial() {
    return "INTEGER PRIMARY KEY AUTOINCREMENT";
  }

  @Override
  public String greatest() {
    return "max";
  }

  @Override
  public String keyedTableEnd() {
    return " WITHOUT ROWID";
  }

  @Override
  public Taking taking(String table) {
    String sql =
        """
        INSERT INTO %1$s AS l (name, version, last_token, mark, claim, permits, token, span,
          since_us, until_us, label, actor, rest)
        VALUES (?, %2$s, %2$s + ? - 1, -1, ?, ?, %2$s, ?, %2$s, %2$s + ?, ?, ?, NULL)
        ON CONFLICT (name) DO UPDATE SET version = l.version + 1,
          token = max(l.last_token + 1, excluded.token),
          last_token = max(l.last_token + 1, excluded.token) + excluded.span - 1,
          claim = excluded.claim, permits = excluded.permits, span = excluded.span,
          since_us = excluded.since_us, until_us = excluded.until_us,
          label = excluded.label, actor = excluded.actor, rest = NULL
        WHERE l.until_us <= excluded.since_us AND l.mark < ?
        RETURNING since_us, token, until_us
        """
            .formatted(table, now());
    return (connection, command, look) ->
        Sql.one(connection, sql, r -> Taking.granted(r, command), Taking.upsert(command, 1))
            .orElseGet(Attempt.Unknown::new);
  }

  /** It locks the file for whoever writes, and nothing for whoever reads. */
  @Override
  public String lockRecord(String table) {
    return "UPDATE " + table + " SET version = version WHERE name = ?";
  }

  /** A look at shared memory, much cheaper than a query. */
  @Override
  public Optional<String> changeCounter() {
    return Optional.of("PRAGMA data_version");
  }

  @Override
  public boolean hasRowLocks() {
    return false;
  }

  @Override
  public String nameParameter() {
    return "?";
  }

  @Override
  public boolean admit(Connection connection, String table, byte[] resource, long token)
      throws SQLException {
    String sql =
        """
        INSERT INTO %s AS f (resource, token) VALUES (?, ?)
        ON CONFLICT (resource) DO UPDATE SET token = excluded.token
        WHERE f.token <= excluded.token"""
            .formatted(table);
    return Sql.update(connection, sql, resource, token) == 1;
  }

  @Override
  public boolean isRolledBack(SQLException e) {
    return is(e, BUSY) || is(e, LOCKED);
  }

  @Override
  public boolean isDuplicate(SQLException e) {
    return is(e, CONSTRAINT);
  }

  @Override
  public boolean isReadOnly(SQLException e) {
    return is(e, READONLY);
  }

  @Override
  public boolean isRefusal(SQLException e) {
    return isReadOnly(e) || is(e, FULL) || is(e, PERM) || is(e, CANNOT_OPEN);
  }

  @Override
  public boolean isConnectionLost(SQLException e) {
    return is(e, IO_ERROR) || super.isConnectionLost(e);
  }

  @Override
  public String remedy(SQLException e) {
    return is(e, FULL)
        ? "; free some space on the disk of the file"
        : is(e, IO_ERROR)
            ? "; the disk of the file may be full"
            : is(e, READONLY) || is(e, CANNOT_OPEN)
                ? "; its directory must be there, and both must be writable for this user"
                : "";
  }

  /** Tells whether SQLite said so; what it adds to a code is in the higher bits. */
  private static boolean is(SQLException e, int code) {
    return e.getClass().getName().startsWith("org.sqlite") && (e.getErrorCode() & 0xFF) == code;
  }

  @Override
  public void checkUrl(String url) {
    if (url.startsWith("jdbc:sqlite::memory:") || url.equals("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "a SQLite database in memory is seen by one connection only: name a file, or use memory:");
    }
  }

  @Override
  public boolean hasHosts() {
    return false;
  }

  @Override
  public Optional<Path> file(String url) {
    return Optional.of(SqliteFile.ofUrl(url));
  }

  @Override
  public Optional<Path> file(Connection connection) throws SQLException {
    return SqliteFile.path(connection);
  }

  @Override
  public Properties properties(Driver driver, Duration timeout, String url) {
    Properties properties = new Properties();
    properties.put("busy_timeout", "" + timeout.toMillis());
    properties.put("journal_mode", "WAL");
    // A commit that is lost with the power takes nobody's lock away: SQLite is of one host,
    // and every holder lost its power too. Tokens go on from the clock.
    properties.put("synchronous", "NORMAL");
    return properties;
  }

  @Override
  public List<String> changingProperties() {
    return List.of("journal_mode");
  }

  @Override
  public boolean hasOneWriter() {
    return true;
  }

  /** Its driver would compile each statement anew, which takes longer than to execute it. */
  @Override
  public boolean keepsStatements() {
    return false;
  }

  @Override
  public boolean setsReadCommitted() {
    return false;
  }

  @Override
  public ServerTraits traits(Connection connection) throws SQLException {
    SqliteFile file = SqliteFile.of(connection);
    return new ServerTraits(this, false, false, false, file.isRemote() ? file.fileSystem() : "");
  }

  @Override
  public List<Finding> durability(Connection connection) throws SQLException {
    List<Finding> findings = new ArrayList<>();
    String fileSystem = SqliteFile.of(connection).fileSystem();
    findings.add(
        Finding.fine("the file is on " + (fileSystem.isEmpty() ? "an unknown disk" : fileSystem)));
    String journal = Sql.text(connection, "PRAGMA journal_mode");
    findings.add(
        journal.equals("wal")
            ? Finding.fine("journal_mode is wal")
            : Finding.warning(
                "journal_mode is " + journal,
                "whoever reads keeps others from writing, and each commit waits for the disk more"
                    + " than once",
                "set journal_mode=WAL in the URL"));
    String busy = Sql.text(connection, "PRAGMA busy_timeout");
    findings.add(
        Integer.parseInt(busy) >= LEAST_BUSY_MILLIS
            ? Finding.fine("busy_timeout is " + busy + " ms")
            : Finding.warning(
                "busy_timeout is " + busy + " ms",
                "a claim that meets another process at the file fails instead of waiting a moment",
                "set busy_timeout=3000 in the URL"));
    if (Sql.text(connection, "PRAGMA synchronous").equals("0")) {
      findings.add(
          Finding.warning(
              "synchronous is OFF",
              "a power failure may spoil the file",
              "set synchronous=NORMAL in the URL"));
    }
    return findings;
  }
}
