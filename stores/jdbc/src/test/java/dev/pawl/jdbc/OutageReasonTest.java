package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.testservers.DatabaseServer;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** I11: where there is no connection nothing was sent, and a call says why there is none. */
class OutageReasonTest {

  /** How long a call bears a store that does not answer. */
  private static final Duration RESPONSE = Duration.ofSeconds(1);

  /** Much longer than that: a call that waited for the pool would show it. */
  private static final String TIMEOUT = "&pawl.timeout=30s";

  private static final Duration SOON = Duration.ofSeconds(15);

  @ParameterizedTest
  @ValueSource(strings = {"lease-record", "row-lock"})
  void postgres(String strategy) throws Exception {
    try (PostgresServer server = PostgresServer.start("fsync=off");
        Connection admin = DriverManager.getConnection(server.url())) {
      Sql.execute(admin, "CREATE ROLE app LOGIN");
      Sql.execute(admin, "GRANT ALL ON SCHEMA public TO app");
      String url = server.url().replace("user=postgres", "user=app") + TIMEOUT;
      try (Pawl pawl = connect(url + "&pawl.strategy=" + strategy)) {
        Sql.execute(admin, "ALTER ROLE app NOLOGIN");
        endConnections(admin);
        isUnavailable(pawl, "not permitted to log in");

        Sql.execute(admin, "ALTER ROLE app LOGIN CONNECTION LIMIT 0");
        isUnavailable(pawl, "too many connections for role");

        Sql.execute(admin, "ALTER ROLE app CONNECTION LIMIT -1");
        isBack(pawl);
        server.kill();
        isUnavailable(pawl, "refused");
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease-record", "row-lock"})
  void mariaDb(String strategy) throws Exception {
    try (MariaDbServer server = MariaDbServer.start();
        Connection admin = DriverManager.getConnection(server.url())) {
      Sql.execute(admin, "CREATE USER app IDENTIFIED BY 'one'");
      Sql.execute(admin, "GRANT ALL ON *.* TO app");
      String url = server.url().replace("user=root", "user=app&password=one") + TIMEOUT;
      try (Pawl pawl = connect(url + "&pawl.strategy=" + strategy)) {
        Sql.execute(admin, "ALTER USER app IDENTIFIED BY 'two'");
        Sql.execute(admin, "KILL USER app");
        isUnavailable(pawl, "Access denied");

        Sql.execute(admin, "ALTER USER app IDENTIFIED BY 'one'");
        isBack(pawl);
        server.kill();
        isUnavailable(pawl, "refused");
      }
    }
  }

  @Test
  void theFirstCallOfAnOutageDoesNotWaitForThePool() throws Exception {
    JdbcOptions options = JdbcOptions.DEFAULT.withTimeout(Databases.PATIENCE);
    try (DatabaseServer server = PostgresServer.start("fsync=off")) {
      UrlDataSource source = Databases.source(server.url(), SqlDatabase.POSTGRESQL, options);
      HikariDataSource pool = source.pool();
      try (Connections connections =
          Connections.of(source, SqlDatabase.POSTGRESQL.dialect(), pool)) {
        connections.awaitFirst(Databases.PATIENCE);
        server.kill();
        pool.getHikariPoolMXBean().softEvictConnections();
        long asked = System.nanoTime();
        assertThatThrownBy(() -> connections.write("acquire", Connection::isClosed))
            .isInstanceOf(StoreUnavailableException.class)
            .hasMessageStartingWith("no connection to " + source + ": Connection to")
            .hasMessageContaining("refused")
            .hasMessageNotContainingAny("pawl.poolSize", " ms");
        assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(SOON);
      }
    }
  }

  private static Pawl connect(String url) {
    Pawl pawl = Pawl.builder(url).responseTimeout(RESPONSE).build();
    isBack(pawl);
    return pawl;
  }

  private static void endConnections(Connection admin) throws SQLException {
    Sql.execute(
        admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'app'");
  }

  private static void isBack(Pawl pawl) {
    long end = System.nanoTime() + Databases.PATIENCE.toNanos();
    Throwable failure;
    do {
      failure = catchThrowable(() -> pawl.lock("x").tryAcquire().orElseThrow().close());
    } while (failure != null && System.nanoTime() - end < 0);
    assertThat(failure).isNull();
  }

  private static void isUnavailable(Pawl pawl, String reason) {
    // What is left of the connections before is found to be broken: nobody knows what became of a
    // statement on one.
    long end = System.nanoTime() + Databases.PATIENCE.toNanos();
    while (System.nanoTime() - end < 0
        && !(catchThrowable(() -> pawl.lock("x").tryAcquire())
                instanceof StoreUnavailableException e
            && e.getMessage().contains(reason))) {
      Thread.onSpinWait();
    }
    isUnavailableSoon(() -> pawl.lock("y").tryAcquire(), reason);
    isUnavailableSoon(() -> pawl.lock("y").acquire(Duration.ofMinutes(1)), reason);
    isUnavailableSoon(() -> pawl.inspector().find("y"), reason);
  }

  private interface Call {
    void make() throws Exception;
  }

  private static void isUnavailableSoon(Call call, String reason) {
    long asked = System.nanoTime();
    assertThatThrownBy(call::make)
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining(reason)
        .hasMessageNotContaining("pawl.poolSize");
    assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(SOON);
  }
}
