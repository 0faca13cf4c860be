package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcStoreTest {

  @TempDir Path directory;

  private String url(SqlDatabase database) {
    return Databases.url(database, directory);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheDbaRunsIsWhatTheStoreNeeds(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables().withCreateSchema(false);
    String url = url(database);
    assertThatThrownBy(() -> JdbcStore.open(url, options).close())
        .isInstanceOf(PawlException.class)
        .hasMessageContaining(options.tables().version())
        .hasMessageContaining("JdbcSchema.sql");
    try (Connection connection = DriverManager.getConnection(url)) {
      for (String sql : JdbcSchema.sql(database, options).split(";", -1)) {
        if (!sql.isBlank()) {
          Sql.execute(connection, sql);
        }
      }
    }
    try (JdbcStore store = JdbcStore.open(url, options);
        Pawl pawl = Pawl.builder(store).responseTimeout(Databases.PATIENCE).build()) {
      pawl.lock("x").acquire().close();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void eightStoresOpenAnEmptyDatabaseAtOnce(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables().withPoolSize(1);
    String url = url(database);
    List<CompletableFuture<Void>> opened = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      opened.add(CompletableFuture.runAsync(() -> JdbcStore.open(url, options).close()));
    }
    CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).get(3, TimeUnit.MINUTES);
  }

  @ParameterizedTest
  @EnumSource
  void tablesMayHaveAnyNameThatIsAllowed(SqlDatabase database) {
    JdbcOptions options = Databases.newTables().withPrefix("closed_" + Databases.prefix());
    JdbcStore.open(url(database), options).close();
  }

  @Test
  void whoeverFailsToCreateTheTablesLooksAgain() throws Exception {
    // PostgreSQL makes a type for each table, and says so in an error of its own when somebody else
    // makes the same table meanwhile. Here another type is in its place for one attempt.
    JdbcOptions options = Databases.newTables();
    CountingDataSource source = new CountingDataSource();
    Iterator<String> others =
        List.of(
                "CREATE TYPE " + options.tables().rowLockLedger() + " AS ENUM ()",
                "DROP TYPE " + options.tables().rowLockLedger())
            .iterator();
    source.executed =
        sql -> {
          if (sql.contains(options.tables().leases() + " (") && others.hasNext()) {
            onPostgres(others.next());
          }
        };
    DataSource server = Databases.source(Databases.postgres(), SqlDatabase.POSTGRESQL, options);
    try (JdbcStore store = JdbcStore.open(source.of(server), options);
        Pawl pawl = Pawl.builder(store).responseTimeout(Databases.PATIENCE).build()) {
      pawl.lock("x").acquire().close();
    }
    assertThat(others).isExhausted();
  }

  @Test
  void whatIsInTheWayOfTheTablesForGoodIsNamed() throws Exception {
    JdbcOptions options = Databases.newTables();
    onPostgres("CREATE TYPE " + options.tables().rowLockLedger() + " AS ENUM ()");
    assertThatThrownBy(() -> JdbcStore.open(Databases.postgres(), options).close())
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("creating the tables")
        .hasMessageContaining("type \"" + options.tables().rowLockLedger() + "\" already exists");
  }

  @Test
  void tablesThatMayNotBeReadAreNotTakenForMissing() throws Exception {
    JdbcOptions options = Databases.newTables();
    JdbcStore.open(Databases.postgres(), options).close();
    onPostgres("CREATE ROLE " + options.prefix() + "weak LOGIN");
    String weak =
        Databases.postgres().replaceFirst("user=[a-z]+", "user=" + options.prefix() + "weak");
    assertThatThrownBy(() -> JdbcStore.open(weak, options.withCreateSchema(false)))
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("permission denied for table " + options.tables().version());
  }

  /** By both dialects of that kind of server, which says the same of a table that is not there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void soIsItOnMariaDb(boolean byMysqlsDriver) throws Exception {
    JdbcOptions options = Databases.newTables();
    String database = options.prefix() + "db";
    try (Connection connection = DriverManager.getConnection(Databases.mariaDb())) {
      Sql.execute(connection, "CREATE DATABASE " + database);
      Sql.execute(connection, "CREATE USER " + options.prefix() + "weak");
      Sql.execute(connection, "GRANT INSERT ON " + database + ".* TO " + options.prefix() + "weak");
    }
    String url = byMysqlsDriver ? Databases.mysqlDriverOnMariaDb() : Databases.mariaDb();
    String own = url.replace("/test?", "/" + database + "?");
    JdbcStore.open(own, options).close();
    String weak = own.replace("user=root", "user=" + options.prefix() + "weak");
    assertThatThrownBy(() -> JdbcStore.open(weak, options.withCreateSchema(false)))
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("SELECT command denied")
        .hasMessageContaining(options.tables().version());
  }

  @Test
  void soIsItOnH2() throws Exception {
    String url = Databases.h2();
    JdbcOptions options = Databases.newTables();
    JdbcStore.open(url, options).close();
    try (Connection connection = DriverManager.getConnection(url)) {
      Sql.execute(connection, "CREATE USER WEAK PASSWORD ''");
    }
    String weak = url.replace(";DB_CLOSE_DELAY=-1", ";USER=WEAK");
    assertThatThrownBy(() -> JdbcStore.open(weak, options.withCreateSchema(false)).close())
        .isExactlyInstanceOf(PawlException.class)
        .hasMessageContaining("rights");
  }

  private static void onPostgres(String sql) {
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      Sql.execute(connection, sql);
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void anotherVersionOfTheTablesIsRefused() throws Exception {
    String url = url(SqlDatabase.SQLITE);
    JdbcStore.open(url).close();
    try (Connection connection = DriverManager.getConnection(url)) {
      Sql.execute(connection, "UPDATE pawl_schema SET version = 7");
    }
    assertThatThrownBy(() -> JdbcStore.open(url))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("version 7");
  }

  @Test
  void tablesCanBeInAnotherSchema() throws Exception {
    String schema = "s" + Databases.prefix();
    onPostgres("CREATE SCHEMA " + schema);
    String url =
        Databases.postgres() + "&pawl.schema=" + schema + "&pawl.prefix=my_&pawl.timeout=30s";
    try (Pawl pawl = Pawl.builder(url).responseTimeout(Databases.PATIENCE).build()) {
      pawl.lock("x").acquire().close();
    }
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      assertThat(count(connection, schema + ".my_lock")).isEqualTo(1);
    }
  }

  /** A word of SQL; and one that is there, but not in these letters. */
  @ParameterizedTest
  @ValueSource(strings = {"order", "PAWL_Mixed"})
  void aSchemaThatIsNotFoundIsSaidToStandWithoutQuotes(String schema) throws Exception {
    onPostgres("CREATE SCHEMA IF NOT EXISTS \"" + schema + "\"");
    JdbcOptions create = Databases.newTables().withSchema(schema);
    for (JdbcOptions options : List.of(create, create.withCreateSchema(false))) {
      assertThatThrownBy(() -> JdbcStore.open(Databases.postgres(), options))
          .isInstanceOf(PawlException.class)
          .hasMessageContaining(" in schema " + schema + " (written without quotes)");
    }
  }

  @Test
  void anIdleNameIsForgottenAndItsTokensGoOnRising() throws Exception {
    String url = url(SqlDatabase.SQLITE) + "?pawl.retention=1s";
    try (Pawl pawl = Pawl.connect(url);
        Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db"))) {
      long before;
      try (Lease lease = pawl.lock("x").acquire()) {
        before = lease.token();
      }
      long deadline = System.nanoTime() + Duration.ofMinutes(1).toNanos();
      while (count(connection, "pawl_lock") > 0) {
        assertThat(System.nanoTime()).as("forgotten").isLessThan(deadline);
        TimeUnit.MILLISECONDS.sleep(50);
      }
      try (Lease lease = pawl.lock("x").acquire()) {
        assertThat(lease.token()).isGreaterThan(before);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void theClockIsTheDatabases(SqlDatabase database) {
    JdbcOptions options = Databases.newTables();
    try (JdbcStore store = JdbcStore.open(url(database), options)) {
      long before = store.nowMicros().toCompletableFuture().join();
      AcquireReply reply =
          store.acquire(Commands.acquire("x", new ClaimId("node", 1))).toCompletableFuture().join();
      long granted = ((AcquireReply.Granted) reply).grant().nowMicros();
      long after = store.nowMicros().toCompletableFuture().join();
      assertThat(granted).isBetween(before, after);
      // The server is on this host; a wrong unit or time zone would be off by far more.
      long here = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
      assertThat(after).isCloseTo(here, within(TimeUnit.MINUTES.toMicros(10)));
    }
  }

  static long count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + table)) {
      result.next();
      return result.getLong(1);
    }
  }
}
