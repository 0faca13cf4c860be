package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class JdbcStoreTest {

  @TempDir Path directory;

  private String url(SqlDatabase database) {
    return Databases.url(database, directory);
  }

  @ParameterizedTest
  @EnumSource
  void whatTheDbaRunsIsWhatTheStoreNeeds(SqlDatabase database) throws Exception {
    JdbcOptions options =
        JdbcOptions.DEFAULT.withPrefix(Databases.prefix()).withCreateSchema(false);
    String url = url(database);
    assertThatThrownBy(() -> JdbcStore.open(url, options).close())
        .isInstanceOf(PawlException.class)
        .hasMessageContaining(options.table("schema"))
        .hasMessageContaining("JdbcSchema.sql");
    try (Connection connection = DriverManager.getConnection(url)) {
      for (String sql : JdbcSchema.sql(database, options).split(";", -1)) {
        if (!sql.isBlank()) {
          JdbcProtocol.execute(connection, sql);
        }
      }
    }
    try (JdbcStore store = JdbcStore.open(url, options);
        Pawl pawl = Pawl.builder(store).build()) {
      pawl.lock("x").acquire().close();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void eightStoresOpenAnEmptyDatabaseAtOnce(SqlDatabase database) throws Exception {
    JdbcOptions options = JdbcOptions.DEFAULT.withPrefix(Databases.prefix()).withPoolSize(1);
    String url = url(database);
    List<CompletableFuture<Void>> opened = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      opened.add(CompletableFuture.runAsync(() -> JdbcStore.open(url, options).close()));
    }
    CompletableFuture.allOf(opened.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
  }

  @Test
  void anotherVersionOfTheTablesIsRefused() throws Exception {
    String url = url(SqlDatabase.SQLITE);
    JdbcStore.open(url).close();
    try (Connection connection = DriverManager.getConnection(url)) {
      JdbcProtocol.execute(connection, "UPDATE pawl_schema SET version = 7");
    }
    assertThatThrownBy(() -> JdbcStore.open(url))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("version 7");
  }

  @Test
  void tablesCanBeInAnotherSchema() throws Exception {
    String schema = "s" + Databases.prefix();
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      JdbcProtocol.execute(connection, "CREATE SCHEMA " + schema);
    }
    try (Pawl pawl =
        Pawl.connect(Databases.postgres() + "&pawl.schema=" + schema + "&pawl.prefix=my_")) {
      pawl.lock("x").acquire().close();
    }
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      assertThat(count(connection, schema + ".my_lock")).isEqualTo(1);
    }
  }

  @Test
  void anIdleNameIsForgottenAndItsTokensGoOnRising() throws Exception {
    String url = url(SqlDatabase.SQLITE) + "?pawl.retention=PT1S";
    try (Pawl pawl = Pawl.connect(url);
        Connection connection =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("locks.db"))) {
      long before;
      try (Lease lease = pawl.lock("x").acquire()) {
        before = lease.token();
      }
      long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
      while (count(connection, "pawl_lock") > 0) {
        assertThat(System.nanoTime()).as("forgotten").isLessThan(deadline);
        TimeUnit.MILLISECONDS.sleep(50);
      }
      try (Lease lease = pawl.lock("x").acquire()) {
        assertThat(lease.token()).isGreaterThan(before);
      }
    }
  }

  @Test
  void aConnectionThatIsNotInAutoCommitModeIsGivenBackAsItWas() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    config.setAutoCommit(false);
    config.setMaximumPoolSize(2);
    try (HikariDataSource source = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(source, JdbcOptions.DEFAULT);
        Pawl pawl = Pawl.builder(store).build()) {
      pawl.lock("x").acquire().close();
      try (Connection connection = source.getConnection()) {
        assertThat(connection.getAutoCommit()).isFalse();
        assertThat(count(connection, "pawl_lock")).isEqualTo(1);
      }
    }
  }

  @Test
  void anExhaustedPoolIsNamedAndIsNotContention() throws Exception {
    String url = Databases.postgres();
    JdbcOptions options = JdbcOptions.DEFAULT.withPrefix(Databases.prefix()).withPoolSize(1);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(300);
    config.setPoolName("the small one");
    try (HikariDataSource source = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(source, options);
        Connection taken = source.getConnection()) {
      assertThat(taken.isClosed()).isFalse();
      assertThat(store.find("x").toCompletableFuture())
          .failsWithin(Duration.ofSeconds(5))
          .withThrowableThat()
          .withCauseInstanceOf(StoreUnavailableException.class)
          .withMessageContaining("HikariDataSource")
          .withMessageContaining("the small one");
    }
  }

  @Test
  void hostileNamesDoNoHarm() throws Exception {
    for (SqlDatabase database : SqlDatabase.values()) {
      JdbcOptions options = JdbcOptions.DEFAULT.withPrefix(Databases.prefix());
      try (JdbcStore store = JdbcStore.open(url(database), options);
          Pawl pawl = Pawl.builder(store).build()) {
        List<Lease> leases = new ArrayList<>();
        for (String name :
            List.of(
                "'; DROP TABLE pawl_lock; --",
                "a\\",
                "a\\'",
                "%",
                "_",
                "a",
                "A",
                "a ",
                "á",
                "a\u0301",
                "ß",
                "ss",
                "😀",
                "😁",
                "?",
                "{fn now()}",
                "$1",
                "\"",
                "`")) {
          leases.add(pawl.lock(name).tryAcquire().orElseThrow(() -> new AssertionError(name)));
        }
        assertThat(pawl.inspector().list("", 100)).hasSize(leases.size());
        leases.forEach(Lease::close);
      }
    }
  }

  private static long count(Connection connection, String table) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT count(*) FROM " + table)) {
      result.next();
      return result.getLong(1);
    }
  }
}
