package dev.pawl.jdbc;

import dev.pawl.jdbc.connect.Failures;
import dev.pawl.jdbc.dialect.Dialect;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.spi.Finding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A look at the database for what a lock in it is worth: what stands in between, what a crash would
 * cost, the tables, and what the strategy does not do.
 */
final class JdbcExamination {

  private final Connection connection;
  private final Dialect dialect;
  private final JdbcOptions options;
  private final boolean empty;
  private final List<Finding> findings = new ArrayList<>();

  private JdbcExamination(
      Connection connection, Dialect dialect, JdbcOptions options, boolean empty) {
    this.empty = empty;
    this.connection = connection;
    this.dialect = dialect;
    this.options = options;
  }

  /** Looks at the database of a store that is open. */
  static List<Finding> of(Connection connection, Dialect dialect, JdbcOptions options)
      throws SQLException {
    return new JdbcExamination(connection, dialect, options, false).all();
  }

  /** Looks at a database in which the tables were not created yet. */
  static List<Finding> ofEmpty(Connection connection, Dialect dialect, JdbcOptions options)
      throws SQLException {
    return new JdbcExamination(connection, dialect, options, true).all();
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
      if (dialect.isConnectionLost(e)) {
        throw e;
      }
      findings.add(
          Finding.warning(
              what + " could not be found out",
              Failures.firstLine(e),
              "let the user of the store read the settings of the database"));
    }
  }

  /** One look at the database. */
  private interface Look {
    void look() throws SQLException;
  }

  private void server() throws SQLException {
    ServerTraits traits = dialect.traits(connection);
    List<Finding> found =
        new ArrayList<>(traits.obstacles(options.strategy() == JdbcStrategy.ROW_LOCK));
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
    findings.addAll(dialect.durability(connection));
  }

  private void schema() throws SQLException {
    OptionalInt version = Schema.version(connection, dialect, options.tables());
    String table = options.tables().version();
    if (version.isEmpty() && empty && options.createSchema()) {
      findings.add(
          Finding.fine("there is no " + table + " yet; the first lock creates the tables"));
      return;
    }
    findings.add(
        version.isPresent() && version.getAsInt() == Schema.VERSION
            ? Finding.fine(table + " says version " + Schema.VERSION)
            : Finding.unsafe(
                table
                    + (version.isPresent()
                        ? " says version " + version.getAsInt()
                        : " is not there, or empty"),
                "this Pawl writes tables of version " + Schema.VERSION,
                "use one version of Pawl on these tables, or another pawl.prefix"));
  }

  private void strategy() {
    findings.add(
        switch (options.strategy()) {
          case LEASE_RECORD -> Finding.fine("strategy lease-record: everything a lock can do");
          case UNIQUE_KEY ->
              Finding.warning(
                  "strategy unique-key",
                  "no fair queue, no read-write locks, semaphores or jobs; a waiter asks again every"
                      + " 50 to 400 ms",
                  "choose pawl.strategy=lease-record, on the same tables, unless that is enough");
          case ROW_LOCK ->
              Finding.warning(
                  "strategy row-lock",
                  "no fair queue, no read-write locks, semaphores, jobs or forced release; each lock"
                      + " held keeps a connection and a transaction open; if that is cut, another is"
                      + " granted the lock while its holder believes in it until the next renewal",
                  "choose pawl.strategy=lease-record unless that is enough, or fence your writes");
        });
  }
}
