package dev.pawl.jdbc;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.MySqlServer;
import dev.pawl.testservers.PostgresServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The servers of this test run, started when they are first needed, and empty places on them. */
final class Databases {

  /** A server that has eight classes of tests on its hands may take longer than usual. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final AtomicInteger COUNT = new AtomicInteger();

  private Databases() {}

  private static final class Postgres {
    // What survives a power failure is not tested here; without it the tests are faster.
    static final PostgresServer SERVER = closedAtExit(PostgresServer.start("fsync=off"));
  }

  private static final class MariaDb {
    static final MariaDbServer SERVER =
        closedAtExit(MariaDbServer.start("innodb-flush-log-at-trx-commit=0"));
  }

  private static final class MySql {
    static final MySqlServer SERVER =
        closedAtExit(MySqlServer.start("innodb-flush-log-at-trx-commit=0"));
  }

  private static <S extends AutoCloseable> S closedAtExit(S server) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  try {
                    server.close();
                  } catch (Exception e) {
                    throw new IllegalStateException(e);
                  }
                }));
    return server;
  }

  static String postgres() {
    return Postgres.SERVER.url();
  }

  static PostgresServer postgresServer() {
    return Postgres.SERVER;
  }

  static String mariaDb() {
    return MariaDb.SERVER.url();
  }

  /** MySQL: the one that the environment names, or our own; without either the test is skipped. */
  static String mysql() {
    String given = System.getenv("PAWL_TEST_MYSQL");
    if (given != null && !given.isBlank()) {
      return given;
    }
    assumeTrue(
        MySqlServer.isAvailable(),
        "MySQL does not run here: it needs libaio.so.1; PAWL_TEST_MYSQL may name another");
    return MySql.SERVER.url();
  }

  /** MariaDB, by MySQL's driver, which many have. */
  static String mysqlDriverOnMariaDb() {
    return MariaDb.SERVER.mysqlUrl();
  }

  /** A new H2 database in memory that stays until the JVM ends. */
  static String h2() {
    return "jdbc:h2:mem:pawl" + COUNT.incrementAndGet() + ";DB_CLOSE_DELAY=-1";
  }

  /** The URL of a database; SQLite's is a file in that directory. */
  static String url(SqlDatabase database, Path directory) {
    return switch (database) {
      case SQLITE -> "jdbc:sqlite:" + directory.resolve("locks.db");
      case POSTGRESQL -> postgres();
      case MARIADB -> mariaDb();
      case MYSQL -> mysql();
      case H2 -> h2();
    };
  }

  /** Options for tables that nobody has used, on a machine that may be slow. */
  static JdbcOptions newTables() {
    return JdbcOptions.DEFAULT.withPrefix(prefix()).withTimeout(PATIENCE);
  }

  /** A prefix of tables that nobody has used. */
  static String prefix() {
    return "t" + ProcessHandle.current().pid() + "_" + COUNT.incrementAndGet() + "_";
  }

  /** New connections to a URL, as a store with these options makes them. */
  static UrlDataSource source(String url, SqlDatabase database, JdbcOptions options) {
    return UrlDataSource.of(url, database.dialect(), options.timeout(), options.poolSize());
  }
}
