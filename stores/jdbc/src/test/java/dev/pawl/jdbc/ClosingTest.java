package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.strategy.Upkeep;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A store that is closed interrupts no thread of its own in the middle of a statement: where H2 is
 * part of the application, that would close the database for all of it.
 */
class ClosingTest {

  @TempDir Path directory;

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

  /** Stands for a statement that takes until the store is closed. */
  private void statement() {
    begun.countDown();
    boolean wasInterrupted = false;
    while (closed.getCount() > 0) {
      try {
        closed.await();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    interrupted.complete(wasInterrupted || Thread.interrupted());
  }

  @Test
  void aPollIsNotInterrupted() throws Exception {
    JdbcOptions options = Databases.newTables();
    CountingDataSource source = new CountingDataSource();
    source.prepared =
        (connection, sql) -> {
          if (Thread.currentThread().getName().equals("pawl-jdbc") && !interrupted.isDone()) {
            statement();
          }
        };
    try (JdbcStore store =
        JdbcStore.open(
            source.of(Databases.source(Databases.h2(), SqlDatabase.H2, options)), options)) {
      store.subscribe("waiting", signal -> {});
      store.acquire(Commands.acquire("x", new ClaimId("holding", 1))).toCompletableFuture().join();
      assertThat(
              store
                  .acquire(Commands.acquire("x", new ClaimId("waiting", 1)))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(AcquireReply.Queued.class);
      assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    }
    closed.countDown();
    assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
  }

  /** I11: it is ended together with its connection, and was committed before. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"}) // Others let it end.
  void aWriteThatIsUnderWayMayHaveBeenExecuted(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables();
    UrlDataSource source = Databases.source(url, database, options);
    String table = options.tables().start() + "written";
    try (Connection other = source.getConnection()) {
      Sql.execute(other, "CREATE TABLE " + table + " (n INTEGER)");
      assertThatThrownBy(
              () -> closingIn(source, database, (c, work) -> c.write("insert", work), table))
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("insert on " + source + " was under way when the store was closed");
      assertThatThrownBy(
              () -> closingIn(source, database, (c, work) -> c.read("look", work), table))
          .isInstanceOf(StoreUnavailableException.class)
          .hasMessageContaining("is closed");
      assertThat(JdbcStoreTest.count(other, table)).isEqualTo(2);
    }
  }

  private interface Use {
    Integer of(Connections connections, Connections.Work<Integer> work);
  }

  /** Writes, and has the store closed before that is answered. */
  private static void closingIn(UrlDataSource source, SqlDatabase database, Use use, String table) {
    try (Connections connections = Connections.of(source, database.dialect(), source.pool())) {
      connections.awaitFirst(Databases.PATIENCE);
      use.of(
          connections,
          connection -> {
            String insert = "INSERT INTO " + table + " VALUES (1)";
            Sql.execute(connection, insert);
            connections.close();
            return Sql.update(connection, insert); // Stands for the answer, which never comes.
          });
    }
  }

  @Test
  void aCleanUpIsNotInterrupted() throws Exception {
    try (Upkeep upkeep =
        new Upkeep(
            after -> {
              statement();
              return Optional.empty();
            },
            Duration.ofSeconds(1))) {
      upkeep.onFailure();
      assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    }
    closed.countDown();
    assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
  }
}
