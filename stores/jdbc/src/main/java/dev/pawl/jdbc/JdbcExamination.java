package dev.pawl.jdbc;

import dev.pawl.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A look at the database for what a lock in it is worth: what stands in between, what a crash would
 * cost, the tables, and what the strategy does not do.
 */
final class JdbcExamination {

  private static final int LEAST_BUSY_MILLIS = 1_000;

  private static final String FORGOTTEN =
      "a crash may undo the last commits: a lock that was granted then is granted once more, though"
          + " with a higher token";

  private final Connection connection;
  private final SqlDatabase database;
  private final JdbcOptions options;
  private final boolean empty;
  private final List<Finding> findings = new ArrayList<>();

  private JdbcExamination(
      Connection connection, SqlDatabase database, JdbcOptions options, boolean empty) {
    this.empty = empty;
    this.connection = connection;
    this.database = database;
    this.options = options;
  }

  /** Looks at the database of a store that is open. */
  static List<Finding> of(Connection connection, SqlDatabase database, JdbcOptions options)
      throws SQLException {
    return new JdbcExamination(connection, database, options, false).all();
  }

  /** Looks at a database in which the tables were not created yet. */
  static List<Finding> ofEmpty(Connection connection, SqlDatabase database, JdbcOptions options)
      throws SQLException {
    return new JdbcExamination(connection, database, options, true).all();
  }

  private List<Finding> all() throws SQLException {
    look("what the server is", this::server);
    look("what a crash would cost", this::durability);
    look("the version of the tables", this::schema);
    strategy();
    return List.copyOf(findings);
  }

  /** Looks at one thing; that it may not be looked at is a finding too. */
  private void look(String what, Look look) throws SQLException {
    try {
      look.look();
    } catch (SQLException e) {
      if (JdbcErrors.isConnectionLost(e)) {
        throw e;
      }
      findings.add(
          Finding.warning(
              what + " could not be found out",
              JdbcErrors.firstLine(e),
              "let the user of the store read the settings of the database"));
    }
  }

  /** One look at the database. */
  private interface Look {
    void look() throws SQLException;
  }

  private void server() throws SQLException {
    ServerTraits traits = ServerTraits.of(connection, database);
    List<Finding> found = new ArrayList<>(traits.obstacles(options));
    found.addAll(traits.limits());
    if (found.isEmpty()) {
      var metaData = connection.getMetaData();
      found.add(
          Finding.fine(
              "%s %s, which takes writes, with nothing in between"
                  .formatted(
                      metaData.getDatabaseProductName(), metaData.getDatabaseProductVersion())));
    }
    findings.addAll(found);
  }

  private void durability() throws SQLException {
    switch (database) {
      case POSTGRESQL -> {
        flushed("fsync", ask("SHOW fsync"), Set.of("on"), "on");
        flushed(
            "synchronous_commit",
            ask("SHOW synchronous_commit"),
            Set.of("on", "local", "remote_write", "remote_apply"),
            "on");
        standbys();
      }
      case MARIADB, MYSQL ->
          flushed(
              "innodb_flush_log_at_trx_commit",
              ServerTraits.variable(connection, "innodb_flush_log_at_trx_commit"),
              Set.of("1"),
              "1");
      case SQLITE -> sqlite();
      case H2 -> h2();
    }
  }

  private void flushed(String setting, String value, Set<String> good, String remedy) {
    findings.add(
        good.contains(value)
            ? Finding.fine(setting + " is " + value)
            : Finding.warning(
                setting + " is " + value, FORGOTTEN, "set " + setting + "=" + remedy));
  }

  private void standbys() throws SQLException {
    String standbys = ask("SELECT count(*) FROM pg_stat_replication");
    if (!standbys.equals("0") && ask("SHOW synchronous_standby_names").isEmpty()) {
      findings.add(
          Finding.warning(
              standbys + " standby server(s), none of them synchronous",
              "a failover to one that lags forgets the last grants, which may then be made twice",
              "set synchronous_standby_names, or fence your writes with the token"));
    }
  }

  private void sqlite() throws SQLException {
    String fileSystem = SqliteFile.of(connection).fileSystem();
    findings.add(
        Finding.fine("the file is on " + (fileSystem.isEmpty() ? "an unknown disk" : fileSystem)));
    String journal = ask("PRAGMA journal_mode");
    findings.add(
        journal.equals("wal")
            ? Finding.fine("journal_mode is wal")
            : Finding.warning(
                "journal_mode is " + journal,
                "whoever reads keeps others from writing, and each commit waits for the disk more"
                    + " than once",
                "set journal_mode=WAL in the URL"));
    String busy = ask("PRAGMA busy_timeout");
    findings.add(
        Integer.parseInt(busy) >= LEAST_BUSY_MILLIS
            ? Finding.fine("busy_timeout is " + busy + " ms")
            : Finding.warning(
                "busy_timeout is " + busy + " ms",
                "a claim that meets another process at the file fails instead of waiting a moment",
                "set busy_timeout=3000 in the URL"));
    if (ask("PRAGMA synchronous").equals("0")) {
      findings.add(
          Finding.warning(
              "synchronous is OFF",
              "a power failure may spoil the file",
              "set synchronous=NORMAL in the URL"));
    }
  }

  private void h2() throws SQLException {
    String url = connection.getMetaData().getURL();
    if (url.startsWith("jdbc:h2:mem:")) {
      findings.add(
          Finding.warning(
              "the database is in memory",
              "no other process sees its locks, and its tokens begin anew with the process",
              "name a file, or a server, in the URL"));
      return;
    }
    String delay =
        ask(
            "SELECT setting_value FROM information_schema.settings"
                + " WHERE setting_name = 'WRITE_DELAY'");
    flushed("WRITE_DELAY", delay, Set.of("0"), "0");
  }

  private void schema() throws SQLException {
    OptionalInt version = JdbcSchema.version(connection, options);
    String table = options.table("schema");
    if (version.isEmpty() && empty && options.createSchema()) {
      findings.add(
          Finding.fine("there is no " + table + " yet; the first lock creates the tables"));
      return;
    }
    findings.add(
        version.isPresent() && version.getAsInt() == JdbcSchema.VERSION
            ? Finding.fine(table + " says version " + JdbcSchema.VERSION)
            : Finding.unsafe(
                table
                    + (version.isPresent()
                        ? " says version " + version.getAsInt()
                        : " is not there, or empty"),
                "this Pawl writes tables of version " + JdbcSchema.VERSION,
                "use one version of Pawl on these tables, or another pawl.prefix"));
  }

  private void strategy() {
    findings.add(
        switch (options.strategy()) {
          case LEASE_ROW -> Finding.fine("strategy lease-row: everything a lock can do");
          case UNIQUE_KEY ->
              Finding.warning(
                  "strategy unique-key",
                  "no fair queue, no read-write locks, semaphores or jobs; a waiter asks again every"
                      + " 50 to 400 ms",
                  "choose pawl.strategy=lease-row, on the same tables, unless that is enough");
          case ROW_LOCK ->
              Finding.warning(
                  "strategy row-lock",
                  "no fair queue, no read-write locks, semaphores, jobs or forced release; each lock"
                      + " held keeps a connection and a transaction open; if that is cut, another is"
                      + " granted the lock while its holder believes in it until the next renewal",
                  "choose pawl.strategy=lease-row unless that is enough, or fence your writes");
        });
  }

  private String ask(String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() && result.getString(1) != null ? result.getString(1) : "";
    }
  }
}
