package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Grant;
import dev.pawl.spi.ReleaseReply;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What the unique key needs beside the suite: tokens of statements that stall. */
@Tag("safety")
class UniqueKeyTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final JdbcOptions options =
      Databases.newTables().withStrategy(JdbcStrategy.UNIQUE_KEY).withRetention(LONG);

  /** The statement stalls behind its reading of the clock, and before it is anything to others. */
  @Test
  void anInsertThatStallsWhileOthersTakeTheNameAndFreeItHasAHigherToken() throws Exception {
    try (JdbcStore store = JdbcStore.open(Databases.postgres(), options);
        Connection connection = DriverManager.getConnection(Databases.postgres());
        Statement statement = connection.createStatement()) {
      stallInsertsOf(statement, "slow");
      Command.Acquire slow = Commands.acquire("name", new ClaimId("slow", 1), 1, "slow", "main");
      CompletableFuture<Grant> stalled = CompletableFuture.supplyAsync(() -> granted(store, slow));
      while (!isAsleep(statement)) {
        Thread.onSpinWait();
      }

      Grant quick = granted(store, Commands.acquire("name", new ClaimId("quick", 1)));
      Command.Release release =
          new Command.Release(
              "name",
              quick.claim(),
              quick.token(),
              OptionalLong.empty(),
              Command.MIN_KEEP_MICROS,
              false);
      assertThat(store.release(release)).succeedsWithin(LONG).isEqualTo(ReleaseReply.RELEASED);
      assertThat(stalled).as("it is the second one").isNotDone();
      statement.execute("SELECT pg_advisory_unlock(4711)");

      assertThat(stalled.join().token()).isGreaterThan(quick.token());
    }
  }

  private static Grant granted(JdbcStore store, Command.Acquire command) {
    AcquireReply reply = store.acquire(command).toCompletableFuture().join();
    return ((AcquireReply.Granted) reply).grant();
  }

  /** Lets inserts with a label wait for an advisory lock, which the session has. */
  private void stallInsertsOf(Statement statement, String label) throws SQLException {
    String function = options.prefix() + "stall";
    statement.execute("SELECT pg_advisory_lock(4711)");
    statement.execute(
        """
        CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF NEW.label = '%s'::bytea THEN PERFORM pg_advisory_xact_lock(4711); END IF;
          RETURN NEW;
        END $$"""
            .formatted(function, label));
    statement.execute(
        "CREATE TRIGGER stall BEFORE INSERT ON %slock FOR EACH ROW EXECUTE FUNCTION %s()"
            .formatted(options.prefix(), function));
  }

  private static boolean isAsleep(Statement statement) throws SQLException {
    try (ResultSet result =
        statement.executeQuery(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                + " AND objid = 4711")) {
      result.next();
      return result.getInt(1) > 0;
    }
  }
}
