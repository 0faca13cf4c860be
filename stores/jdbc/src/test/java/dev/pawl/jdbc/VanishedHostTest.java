package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testkit.FaultProxy;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I6: a transaction of which nothing is heard any more keeps no record locked. */
class VanishedHostTest {

  private static final Duration PATIENCE = Databases.PATIENCE;

  @TempDir Path directory;

  private final JdbcOptions options = Databases.newTables();

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void whatAHostThatVanishedHasLockedIsFreeSoon(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    String port = url.replaceFirst(".*:(\\d+)/.*", "$1");
    JdbcOptions impatient = options.withTimeout(Duration.ofSeconds(3));
    AtomicReference<Connections> vanishing = new AtomicReference<>();
    try (FaultProxy network = FaultProxy.to("127.0.0.1", Integer.parseInt(port));
        JdbcStore there = JdbcStore.open(url, options)) {
      Command.Acquire claim = Commands.tryAcquire("x", new ClaimId("there", 1));
      there.acquire(claim).toCompletableFuture().join();
      UrlDataSource source =
          Databases.source(url.replace(port + "/", network.port() + "/"), database, impatient);
      try (JdbcStore gone =
          Opening.connect(
              source,
              (connections, traits) -> {
                vanishing.set(connections);
                return new JdbcStore(connections, traits, impatient, true);
              })) {
        assertThat(gone.describe()).contains(":" + network.port());
        assertThatThrownBy(
                () ->
                    vanishing
                        .get()
                        .write(
                            "renew",
                            c -> Connections.inTransaction(c, t -> lock(t, network::stall))))
            .isInstanceOf(OutcomeUnknownException.class);
        // Its own timeout is much longer: it waits for the record, and gets it.
        assertThat(there.acquire(claim).toCompletableFuture())
            .succeedsWithin(Duration.ofMinutes(1));
      }
    }
  }

  private boolean lock(Connection connection, Runnable then) throws SQLException {
    String sql =
        "UPDATE %s SET version = version + 1 WHERE name = ?".formatted(options.tables().leases());
    assertThat(Sql.update(connection, sql, (Object) Utf8.bytes("x"))).isEqualTo(1);
    then.run();
    return true;
  }

  @Test
  void thatTheServerHasEndedOneIsAnOutage() throws Exception {
    UrlDataSource source = Databases.source(Databases.postgres(), SqlDatabase.POSTGRESQL, options);
    try (Connection looking = source.getConnection();
        Connections connections =
            Connections.of(source, SqlDatabase.POSTGRESQL.dialect(), "the server", PATIENCE)) {
      assertThatThrownBy(
              () ->
                  connections.write(
                      "renew", c -> Connections.inTransaction(c, t -> standStill(t, looking))))
          .isInstanceOf(OutcomeUnknownException.class);
    }
  }

  private static boolean standStill(Connection connection, Connection looking) throws SQLException {
    Sql.execute(connection, "SET LOCAL idle_in_transaction_session_timeout = 50");
    String pid = Sql.text(connection, "SELECT pg_backend_pid()");
    String running = "SELECT 'yes' FROM pg_stat_activity WHERE pid = " + pid;
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (Sql.text(looking, running).equals("yes")) {
      assertThat(System.nanoTime()).as("it is not ended").isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
    return true;
  }
}
