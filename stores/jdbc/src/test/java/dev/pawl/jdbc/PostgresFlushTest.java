package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;

/** What waits for the disk: a grant, which must outlast a crash (I1), and nothing else. */
class PostgresFlushTest {

  private static final int ROUNDS = 20;

  @Test
  void aGrantWaitsForTheDiskAndAReleaseAndARefusalDoNot() throws Exception {
    // Nobody but those who wait for it writes the log out meanwhile.
    try (PostgresServer server = PostgresServer.start("wal_writer_delay=10s", "autovacuum=off");
        JdbcStore store = JdbcStore.open(server.url(), Databases.newTables());
        Connection connection = DriverManager.getConnection(server.url())) {
      int grants = 0;
      int releases = 0;
      int refusals = 0;
      for (int i = 0; i < ROUNDS; i++) {
        Command.Acquire holder = Commands.acquire("name", new ClaimId("holder", i));
        Command.Acquire other = Commands.tryAcquire("name", new ClaimId("other", i));
        long start = flushed(connection);
        AcquireReply grant = store.acquire(holder).toCompletableFuture().join();
        long granted = flushed(connection);
        AcquireReply refusal = store.acquire(other).toCompletableFuture().join();
        long refused = flushed(connection);
        store.release(Commands.release(holder, grant)).toCompletableFuture().join();
        long released = flushed(connection);
        assertThat(refusal).isInstanceOf(AcquireReply.Busy.class);
        grants += granted > start ? 1 : 0;
        refusals += refused > granted ? 1 : 0;
        releases += released > refused ? 1 : 0;
      }
      assertThat(grants).as("grants that waited").isEqualTo(ROUNDS);
      // A checkpoint, or a page of the log that is full, may come between.
      assertThat(refusals).as("refusals that waited").isLessThan(ROUNDS / 4);
      assertThat(releases).as("releases that waited").isLessThan(ROUNDS / 4);
    }
  }

  /** Up to where the server's log has been written out. */
  private static long flushed(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result =
            statement.executeQuery(
                "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint")) {
      result.next();
      return result.getLong(1);
    }
  }
}
