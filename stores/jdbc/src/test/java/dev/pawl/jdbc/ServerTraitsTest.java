package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.PawlException;
import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.spi.Finding;
import dev.pawl.testservers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerTraitsTest {

  private static final JdbcOptions ROW_LOCK =
      JdbcOptions.DEFAULT.withStrategy(JdbcStrategy.ROW_LOCK);

  @Test
  void anOrdinaryServerHasNone() throws Exception {
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      assertThat(SqlDatabase.POSTGRESQL.dialect().traits(connection))
          .isEqualTo(new ServerTraits(SqlDatabase.POSTGRESQL.dialect(), false, false, false, ""));
    }
    try (Connection connection = DriverManager.getConnection(Databases.mariaDb())) {
      assertThat(SqlDatabase.MARIADB.dialect().traits(connection))
          .isEqualTo(new ServerTraits(SqlDatabase.MARIADB.dialect(), false, false, false, ""));
    }
  }

  @Test
  void aServerThatOnlyReadsIsRefused() {
    String url = Databases.postgres() + "&options=-c%20default_transaction_read_only=on";
    assertThatThrownBy(() -> JdbcStore.open(url, Databases.newTables()))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("replica");
  }

  /** MariaDB 12 has four values for it; here an earlier one says so. */
  @ParameterizedTest
  @CsvSource({
    "OFF, false",
    "ON, true",
    "NO_LOCK, true",
    "NO_LOCK_NO_ADMIN, true",
    "0, false",
    "1, true"
  })
  void aServerOfMariaDbMayBeReadOnlyInSeveralWays(String value, boolean isReadOnly)
      throws Exception {
    try (Connection connection = DriverManager.getConnection(Databases.mariaDb())) {
      Connection saying =
          (Connection)
              Proxy.newProxyInstance(
                  ServerTraitsTest.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (self, method, arguments) ->
                      arguments != null && arguments[0].toString().contains("GLOBAL VARIABLES")
                          ? connection.prepareStatement("SELECT ?, '" + value + "'")
                          : method.invoke(connection, arguments));
      assertThat(SqlDatabase.MARIADB.dialect().traits(saying).readOnly()).isEqualTo(isReadOnly);
    }
  }

  @Test
  void aHotStandbyIsRefusedAndItsPrimarySaysThatItLags() throws Exception {
    try (PostgresServer primary = PostgresServer.start("fsync=off");
        PostgresServer standby = primary.startStandby();
        JdbcStore store = JdbcStore.open(primary.url(), Databases.newTables());
        Connection connection = DriverManager.getConnection(primary.url());
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> JdbcStore.open(standby.url(), Databases.newTables()))
          .isInstanceOf(PawlException.class)
          .hasMessageContaining("read replica")
          .hasMessageContaining("primary");
      statement.execute(
          "DO $$ BEGIN WHILE NOT EXISTS (SELECT 1 FROM pg_stat_replication) LOOP"
              + " PERFORM pg_sleep(0.05); PERFORM pg_stat_clear_snapshot(); END LOOP; END $$");
      assertThat(store.examine().toCompletableFuture().join())
          .filteredOn(each -> each.what().contains("1 standby"))
          .singleElement()
          .returns(Finding.Level.WARNING, Finding::level);
    }
  }

  @Test
  void rowLocksAreRefusedWhereTheyExcludeNobody() {
    ServerTraits galera = new ServerTraits(SqlDatabase.MARIADB.dialect(), false, true, false, "");
    assertThatThrownBy(() -> Opening.check(galera, ROW_LOCK, "here"))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("Galera");
    assertThatCode(() -> Opening.check(galera, JdbcOptions.DEFAULT, "here"))
        .doesNotThrowAnyException();

    ServerTraits sqlite = new ServerTraits(SqlDatabase.SQLITE.dialect(), false, false, false, "");
    assertThatThrownBy(() -> Opening.check(sqlite, ROW_LOCK, "here"))
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("lease-record");
  }

  @Test
  void behindAPoolerNobodyListens() {
    assertThat(
            new ServerTraits(SqlDatabase.POSTGRESQL.dialect(), false, false, true, "").canListen())
        .isFalse();
    assertThat(
            new ServerTraits(SqlDatabase.POSTGRESQL.dialect(), false, false, false, "").canListen())
        .isTrue();
  }
}
