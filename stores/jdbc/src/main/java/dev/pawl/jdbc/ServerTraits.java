package dev.pawl.jdbc;

import dev.pawl.PawlException;
import dev.pawl.spi.Finding;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server is besides a database, on which it depends what a lock in it is worth.
 *
 * @param readOnly a replica, or a server set to be read only
 * @param galera a node of a Galera cluster
 * @param pooled a pooler such as PgBouncer stands in between
 * @param remoteFiles the network file system that a SQLite file is on; empty if it is on none
 */
record ServerTraits(
    SqlDatabase database, boolean readOnly, boolean galera, boolean pooled, String remoteFiles) {

  private static final Logger LOG = LoggerFactory.getLogger(ServerTraits.class);

  private static final int MOST_ATTEMPTS = 100;

  /** Connects, and looks. */
  static ServerTraits of(DataSource source, String place) {
    for (int attempt = 1; ; attempt++) {
      try (Connection connection = source.getConnection()) {
        return Connections.inAutoCommit(connection, c -> of(c, SqlDatabase.of(c)));
      } catch (SQLException e) {
        // SQLite is busy while others make the file what it is to be.
        if (!JdbcErrors.isSqliteBusy(e) || attempt == MOST_ATTEMPTS) {
          throw JdbcErrors.noConnection(place, "", e);
        }
      }
      Connections.pause(attempt);
    }
  }

  static ServerTraits of(Connection connection, SqlDatabase database) throws SQLException {
    return switch (database) {
      case POSTGRESQL ->
          new ServerTraits(
              database,
              isReadOnlyPostgres(connection),
              false,
              PostgresConnection.isPooled(connection),
              "");
      case MARIADB, MYSQL ->
          new ServerTraits(
              database,
              isOn(variable(connection, "read_only")),
              isOn(variable(connection, "wsrep_on")),
              false,
              "");
      case SQLITE -> {
        SqliteFile file = SqliteFile.of(connection);
        yield new ServerTraits(
            database, false, false, false, file.isRemote() ? file.fileSystem() : "");
      }
      case H2 -> new ServerTraits(database, false, false, false, "");
    };
  }

  private static boolean isReadOnlyPostgres(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT pg_is_in_recovery()"
                    + " OR current_setting('transaction_read_only')::bool")) {
      result.next();
      return result.getBoolean(1);
    }
  }

  /** Returns a variable of MariaDB or MySQL; empty if there is none of that name. */
  static String variable(Connection connection, String name) throws SQLException {
    try (var statement =
        connection.prepareStatement("SHOW GLOBAL VARIABLES WHERE Variable_name = ?")) {
      statement.setString(1, name);
      try (ResultSet result = statement.executeQuery()) {
        return result.next() ? result.getString(2) : "";
      }
    }
  }

  private static boolean isOn(String value) {
    return !value.toUpperCase(Locale.ROOT).matches("OFF|0|NO_LOCK|");
  }

  /** Refuses what cannot work, and says what does not hold. */
  void check(JdbcOptions options, String place) {
    List<Finding> obstacles = obstacles(options);
    if (!obstacles.isEmpty()) {
      throw new PawlException(place + ": " + sentence(obstacles.get(0)));
    }
    for (Finding each : limits()) {
      LOG.warn("{}: {}", place, sentence(each));
    }
  }

  private static String sentence(Finding finding) {
    return finding.what() + ": " + finding.why() + "; " + finding.remedy();
  }

  /** Returns why there can be no lock here. */
  List<Finding> obstacles(JdbcOptions options) {
    boolean rowLock = options.strategy() == JdbcStrategy.ROW_LOCK;
    List<Finding> obstacles = new ArrayList<>();
    if (readOnly) {
      obstacles.add(
          Finding.unsafe(
              "the server is a read replica, or is set to be read only",
              "a lock is a write, and only the primary takes it",
              "connect to the primary"));
    }
    if (rowLock && database == SqlDatabase.SQLITE) {
      obstacles.add(
          Finding.unsafe(
              "SQLite has no row locks",
              "the strategy row-lock needs SELECT … FOR UPDATE",
              "choose pawl.strategy=lease-row or unique-key"));
    }
    if (rowLock && galera) {
      obstacles.add(
          Finding.unsafe(
              "row locks on a node of a Galera cluster",
              "SELECT … FOR UPDATE is local to the node, and excludes nobody on the others",
              "choose pawl.strategy=lease-row"));
    }
    return obstacles;
  }

  /** Returns what does not hold here. */
  List<Finding> limits() {
    List<Finding> limits = new ArrayList<>();
    if (galera) {
      limits.add(
          Finding.warning(
              "the server is a node of a Galera cluster",
              "locks hold, but a claim that meets one on another node costs a rollback, and is"
                  + " tried again",
              "send all to one server of the cluster"));
    }
    if (pooled) {
      limits.add(
          Finding.warning(
              "a pooler such as PgBouncer stands in front of the server",
              "LISTEN may belong to whoever gets the connection next, so waiters poll; in transaction"
                  + " mode a prepared statement may be unknown when it is used; in statement mode"
                  + " there are no transactions, which renewals need",
              "connect to the server itself; or set pool_mode to session or transaction and, in a"
                  + " DataSource of your own, prepareThreshold=0, which Pawl sets for a URL"));
    }
    if (!remoteFiles.isEmpty()) {
      limits.add(
          Finding.unsafe(
              "the SQLite file is on a network file system (" + remoteFiles + ")",
              "its file locks may not reach the other hosts, so that two may hold one lock and the"
                  + " file may be spoiled",
              "put the file on a local disk, or use a database server for several hosts"));
    }
    return limits;
  }

  boolean canListen() {
    return !pooled;
  }
}
