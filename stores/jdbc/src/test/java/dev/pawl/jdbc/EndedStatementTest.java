package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Statements that the server ends, since they take longer than its operator allows. */
class EndedStatementTest {

  @TempDir Path directory;

  /** I11: it passes, and whoever is told so tries again; a release would be given up otherwise. */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SET statement_timeout = 3000",
    "MARIADB, SET SESSION max_statement_time = 3",
    "MYSQL, SET SESSION max_statement_time = 3"
  })
  void oneThatTheServerEndsIsAnOutage(SqlDatabase database, String limit) throws Exception {
    // MySQL itself ends only what reads.
    String url =
        database == SqlDatabase.MYSQL
            ? Databases.mysqlDriverOnMariaDb()
            : Databases.url(database, directory);
    JdbcOptions options = Databases.newTables();
    JdbcStore.open(url, options).close();
    try (HikariDataSource pool = limited(url, limit);
        JdbcStore store = JdbcStore.open(pool, options);
        Connection other = DriverManager.getConnection(url)) {
      // It is to be held still when the statement that was ended is sent again.
      Command.Acquire claim = Commands.acquire("x", new ClaimId("node", 1), 120_000_000);
      Command.Release release =
          Commands.release(claim, store.acquire(claim).toCompletableFuture().join());
      other.setAutoCommit(false);
      Sql.execute(other, "SELECT name FROM " + options.tables().leases() + " FOR UPDATE");

      Throwable ended = catchThrowable(() -> store.release(release).toCompletableFuture().join());
      assertThat(ended.getCause())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      other.rollback();
      assertThat(store.release(release).toCompletableFuture().join())
          .isEqualTo(ReleaseReply.RELEASED);
    }
  }

  /** A read that is a bug to the node ends the wait of whoever asked. */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SET statement_timeout = 600",
    "MARIADB, SET SESSION max_statement_time = 0.6",
    "MYSQL, SET SESSION max_execution_time = 600"
  })
  void soIsARead(SqlDatabase database, String limit) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables();
    JdbcStore.open(url, options).close();
    String table = options.tables().leases();
    try (HikariDataSource pool = limited(url, limit);
        JdbcStore store = JdbcStore.open(pool, options);
        Connection other = DriverManager.getConnection(url)) {
      other.setAutoCommit(false);
      Sql.execute(
          other,
          database == SqlDatabase.POSTGRESQL
              ? "LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE"
              : "LOCK TABLES " + table + " WRITE");
      Throwable ended = catchThrowable(() -> store.find("x").toCompletableFuture().join());
      assertThat(ended.getCause())
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("nothing was changed");
    }
  }

  /** I11: the name is held, and that is all. */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SET statement_timeout = 600",
    "MARIADB, SET SESSION max_statement_time = 0.8",
    "MYSQL, SET SESSION max_statement_time = 0.8"
  })
  void aWaitForARowThatTheServerEndsIsContention(SqlDatabase database, String limit)
      throws Exception {
    String url =
        database == SqlDatabase.MYSQL
            ? Databases.mysqlDriverOnMariaDb()
            : Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    try (JdbcStore holding = JdbcStore.open(url, options);
        HikariDataSource pool = limited(url, limit);
        JdbcStore waiting = JdbcStore.open(pool, options)) {
      Command.Acquire holder = Commands.acquire("x", new ClaimId("holder", 1), 120_000_000);
      assertThat(holding.acquire(holder).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Granted.class);
      Command.Acquire waiter = Commands.acquire("x", new ClaimId("waiter", 1));
      assertThat(waiting.acquire(waiter).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Busy.class);
    }
  }

  private static HikariDataSource limited(String url, String limit) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setConnectionInitSql(limit);
    return new HikariDataSource(config);
  }
}
