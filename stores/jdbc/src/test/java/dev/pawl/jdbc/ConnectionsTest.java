package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The store's use of pools: of its own, and of one that was handed in. */
class ConnectionsTest {

  @Test
  void ourOwnPoolSaysItsNameAndWhatToDoWhenItIsExhausted() throws Exception {
    JdbcOptions options = Databases.newTables().withPoolSize(1).withTimeout(Duration.ofSeconds(3));
    String url = Databases.h2();
    UrlDataSource source = UrlDataSource.of(url, SqlDatabase.H2, options);
    source.getConnection().close(); // The driver's first one takes its time.
    HikariDataSource pool = source.pool(options);
    try (Connections connections =
        new Connections(pool, source::getConnection, pool, source.toString())) {
      connections.read(
          "keep the only connection",
          kept -> {
            assertThatThrownBy(() -> connections.write("acquire", c -> c.isClosed()))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("no connection to " + source)
                .hasMessageContaining("within 3000 ms from pool pawl " + source)
                .hasMessageContaining("1 of 1 in use")
                .hasMessageContaining("pawl.poolSize sets the size");
            return kept;
          });
      boolean closed = connections.read("ask again", c -> c.isClosed());
      assertThat(closed).isFalse();
    }
  }

  @Test
  void anExhaustedPoolIsNamedAndIsNotContention() throws Exception {
    String url = Databases.postgres();
    JdbcOptions options = Databases.newTables().withPoolSize(1);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(3_000);
    config.setPoolName("the small one");
    try (HikariDataSource source = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(source, options);
        Connection taken = source.getConnection()) {
      assertThat(taken.isClosed()).isFalse();
      assertThat(store.find("x").toCompletableFuture())
          .failsWithin(Duration.ofMinutes(1))
          .withThrowableThat()
          .withCauseInstanceOf(StoreUnavailableException.class)
          .withMessageContaining("HikariDataSource")
          .withMessageContaining("the small one");
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
        assertThat(JdbcStoreTest.count(connection, "pawl_lock")).isEqualTo(1);
      }
    }
  }
}
