package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.sql.Sql;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The store's use of pools: of its own, and of one that was handed in. */
class ConnectionsTest {

  @Test
  void ourOwnPoolSaysItsNameAndWhatToDoWhenItIsExhausted() throws Exception {
    JdbcOptions options = Databases.newTables().withPoolSize(1).withTimeout(Duration.ofSeconds(3));
    String url = Databases.h2();
    UrlDataSource source = Databases.source(url, SqlDatabase.H2, options);
    source.getConnection().close(); // The driver's first one takes its time.
    HikariDataSource pool = source.pool();
    try (Connections connections = Connections.of(source, SqlDatabase.H2.dialect(), pool)) {
      connections.awaitFirst(Databases.PATIENCE);
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

  /** Though the pool itself is asked for a moment at a time. */
  @Test
  void whoeverWaitsForAConnectionGetsItInTheOrderInWhichTheyCame() throws Exception {
    JdbcOptions options = Databases.newTables().withPoolSize(1).withTimeout(Duration.ofMinutes(1));
    UrlDataSource source = Databases.source(Databases.h2(), SqlDatabase.H2, options);
    List<Integer> served = new CopyOnWriteArrayList<>();
    List<Thread> waiting = new ArrayList<>();
    try (Connections connections =
        Connections.of(source, SqlDatabase.H2.dialect(), source.pool())) {
      connections.awaitFirst(Databases.PATIENCE);
      connections.read(
          "keep the only connection",
          kept -> {
            for (int i = 0; i < 5; i++) {
              int number = i;
              Thread next = new Thread(() -> connections.read("next", c -> served.add(number)));
              next.start();
              waiting.add(next);
              while (next.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
              }
              LockSupport.parkNanos(100_000_000); // Some lose their place in the pool meanwhile.
            }
            return kept;
          });
      for (Thread each : waiting) {
        each.join();
      }
    }
    assertThat(served).containsExactly(0, 1, 2, 3, 4);
  }

  /** A pool closes a connection that is half an hour old, and makes the next one afterwards. */
  @ParameterizedTest
  @CsvSource({
    "H2, jdbc:h2:mem:lifetime, 0",
    "H2, jdbc:h2:tcp://localhost:1/lifetime, 1800000",
    "MARIADB, jdbc:mariadb://localhost:1/lifetime, 1800000"
  })
  void aDatabaseThatGoesWithItsLastConnectionKeepsIt(
      SqlDatabase database, String url, long lifetimeMillis) {
    try (HikariDataSource pool = Databases.source(url, database, JdbcOptions.DEFAULT).pool()) {
      assertThat(pool.getMaxLifetime()).isEqualTo(lifetimeMillis);
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

  /** As with a transaction that keeps the only one, and takes a lock. */
  @Test
  void aCallThatIsNotAnsweredSaysThatThePoolIsExhausted() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    config.setMaximumPoolSize(1);
    // Much more than the call has: it is not to end by what the pool says.
    config.setConnectionTimeout(Databases.PATIENCE.toMillis());
    try (HikariDataSource source = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(source, Databases.newTables());
        Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofSeconds(1)).build()) {
      assertThat(store.describe()).doesNotContain("in use");
      try (Connection taken = source.getConnection()) {
        assertThat(taken.isClosed()).isFalse();
        assertThatThrownBy(() -> pawl.lock("x").acquire())
            .isInstanceOf(PawlException.class)
            .hasMessageContaining("all 1 connections are in use");
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
        assertThat(JdbcStoreTest.count(connection, "pawl_lock")).isEqualTo(1);
      }
    }
  }

  @Test
  void afterAFailureTooAConnectionIsGivenBackAsItWas() throws Exception {
    try (Connection only = DriverManager.getConnection(Databases.h2())) {
      only.setAutoCommit(false);
      DataSource source = of(only);
      try (Connections connections =
          Connections.of(source, SqlDatabase.H2.dialect(), "the only one", Databases.PATIENCE)) {
        assertThatThrownBy(
                () -> connections.write("fail", c -> c.prepareStatement("no SQL").execute()))
            .isInstanceOf(PawlException.class);
        assertThat(only.getAutoCommit()).isFalse();
        connections.write("two", c -> Connections.inTransaction(c, d -> d.getAutoCommit()));
        assertThat(only.getAutoCommit()).isFalse();
      }
    }
  }

  @Test
  void workThatOthersKeepOutIsTriedForNoLongerThanTheTimeout(@TempDir Path directory)
      throws Exception {
    Duration timeout = Duration.ofMillis(200);
    JdbcOptions options = JdbcOptions.DEFAULT.withTimeout(timeout);
    String url = Databases.url(SqlDatabase.SQLITE, directory);
    UrlDataSource source = Databases.source(url, SqlDatabase.SQLITE, options);
    AtomicInteger tries = new AtomicInteger();
    try (Connection other = source.getConnection();
        Connections connections =
            Connections.of(source, SqlDatabase.SQLITE.dialect(), "SQLite", timeout)) {
      Sql.execute(other, "BEGIN IMMEDIATE");
      // Each try waits for the other one that long.
      assertThatThrownBy(
              () ->
                  connections.write(
                      "make",
                      c -> {
                        tries.incrementAndGet();
                        Sql.execute(c, "CREATE TABLE x (n INTEGER)");
                        return true;
                      }))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("nothing was changed");
      assertThat(tries.get()).isLessThanOrEqualTo(2);
    }
  }

  /** A pool of one connection that gives it out as it came back. */
  private static DataSource of(Connection only) {
    Connection lent =
        proxy(
            Connection.class,
            (method, arguments) ->
                method.getName().equals("close") ? null : method.invoke(only, arguments));
    return proxy(DataSource.class, (method, arguments) -> lent);
  }

  private interface Call {
    @Nullable Object of(Method method, Object @Nullable [] arguments) throws Throwable;
  }

  private static <T> T proxy(Class<T> type, Call call) {
    return type.cast(
        Proxy.newProxyInstance(
            ConnectionsTest.class.getClassLoader(),
            new Class<?>[] {type},
            (self, method, arguments) -> {
              try {
                return call.of(method, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
