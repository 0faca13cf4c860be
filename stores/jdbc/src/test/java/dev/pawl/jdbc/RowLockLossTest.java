package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I1, I3: the connection that has the row locked is lost while its owner is entered elsewhere. */
@Tag("safety")
class RowLockLossTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void aLockThatIsLostBeforeItIsEnteredIsNotGranted(SqlDatabase database) throws Exception {
    lostBehind(database, "FOR UPDATE");
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void aLockThatIsLostAfterItsTokenWasReadIsNotGranted(SqlDatabase database) throws Exception {
    lostBehind(database, "LEFT JOIN");
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void aLockThatIsLostAfterItWasEnteredIsNotGranted(SqlDatabase database) throws Exception {
    lostBehind(database, "last_token = ?");
  }

  /** Ends the connection of the lock behind its next statement of that kind; another takes it. */
  private void lostBehind(SqlDatabase database, String statement) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    CountingDataSource watched = new CountingDataSource();
    try (HikariDataSource pool = pool(url);
        JdbcStore mine = JdbcStore.open(watched.of(pool), options);
        JdbcStore theirs = JdbcStore.open(url, options);
        Connection admin = DriverManager.getConnection(url)) {
      Command.Acquire first = Commands.acquire("name", new ClaimId("mine", 1));
      mine.release(Commands.release(first, acquire(mine, first))).toCompletableFuture().join();

      Command.Acquire lost = Commands.tryAcquire("name", new ClaimId("mine", 2));
      Command.Acquire next = Commands.tryAcquire("name", new ClaimId("theirs", 1));
      AtomicReference<Connection> lock = new AtomicReference<>();
      AtomicInteger cuts = new AtomicInteger();
      AcquireReply[] granted = new AcquireReply[1];
      watched.prepared =
          (connection, sql) -> {
            if (sql.contains("FOR UPDATE")) {
              lock.compareAndSet(null, connection);
            }
            if (sql.contains(statement) && cuts.getAndIncrement() == 0) {
              end(database, admin, lock.get());
              do {
                granted[0] = acquire(theirs, next);
              } while (granted[0] instanceof AcquireReply.Busy); // The server is about to notice.
            }
          };
      // Busy; or unavailable, where the pool goes on to hand out the broken connection.
      Object reply =
          mine.acquire(lost).handle((r, e) -> r == null ? e : r).toCompletableFuture().join();

      assertThat(cuts.get()).as("connections that were ended").isPositive();
      assertThat(granted[0]).isInstanceOf(AcquireReply.Granted.class);
      assertThat(reply).isInstanceOfAny(AcquireReply.Busy.class, StoreUnavailableException.class);
      LockInfo info = theirs.find("name").toCompletableFuture().join().orElseThrow();
      assertThat(info.holders())
          .extracting(LockInfo.Holder::claim)
          .containsExactly(next.claim().toString());
      assertThat(renew(mine, lost)).isInstanceOf(RenewReply.Gone.class);
      assertThat(renew(theirs, next)).isInstanceOf(RenewReply.Held.class);
      assertThat(theirs.release(Commands.release(next, granted[0])).toCompletableFuture().join())
          .isEqualTo(ReleaseReply.RELEASED);
    }
  }

  private static AcquireReply acquire(JdbcStore store, Command.Acquire command) {
    return store.acquire(command).toCompletableFuture().join();
  }

  private static RenewReply renew(JdbcStore store, Command.Acquire claim) {
    Command.Renew renew =
        new Command.Renew(
            claim.name(), claim.claim(), claim.permits(), claim.leaseMicros(), claim.actor());
    return store.renew(List.of(renew)).toCompletableFuture().join().get(0);
  }

  /** Ends a connection in the server, where it can; what it had locked is free then. */
  private static void end(SqlDatabase database, Connection admin, Connection lock) {
    try (Statement statement = admin.createStatement()) {
      switch (database) {
        case POSTGRESQL -> {
          int pid = number(lock, "SELECT pg_backend_pid()");
          statement.execute("SELECT pg_terminate_backend(" + pid + ")");
        }
        case MARIADB, MYSQL -> statement.execute("KILL " + number(lock, "SELECT connection_id()"));
        default -> {
          int id = number(lock, "SELECT SESSION_ID()");
          statement.execute("CALL ABORT_SESSION(" + id + ")");
        }
      }
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  private static int number(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getInt(1);
    }
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    return new HikariDataSource(config);
  }
}
