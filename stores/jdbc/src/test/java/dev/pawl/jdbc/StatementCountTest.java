package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.RenewReply;
import dev.pawl.testservers.Measurement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I9 in statements: what the store sends for each command. */
class StatementCountTest {

  @TempDir static Path directory;

  private final CountingDataSource counter = new CountingDataSource();
  private long claims;

  @ParameterizedTest
  @EnumSource
  void oneToAcquireAndOneToRelease(SqlDatabase database) throws Exception {
    // A waiter lives for two seconds: where they pass between two commands, there is one less.
    Measurement.whereNothingStalls(() -> count(database));
  }

  private void count(SqlDatabase database) {
    JdbcOptions options = Databases.newTables();
    UrlDataSource source = Databases.source(Databases.url(database, directory), database, options);
    HikariConfig config = new HikariConfig();
    config.setDataSource(source);
    config.setMaximumPoolSize(database == SqlDatabase.SQLITE ? 1 : 3);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(counter.of(pool), options)) {
      int atFirst = database == SqlDatabase.H2 || database == SqlDatabase.MYSQL ? 3 : 1;
      Command.Acquire first = acquire("x");
      AcquireReply grant = counted(atFirst, store, first);
      counted(1, () -> store.release(Commands.release(first, grant)));

      Command.Acquire second = acquire("x");
      AcquireReply again = counted(1, store, second);

      // One is refused, which MariaDB answers with the row; one reads it, and one writes the queue.
      Command.Acquire third = acquire("x");
      counted(database == SqlDatabase.MARIADB ? 2 : 3, store, third);
      // Where there is a queue, nobody tries in vain.
      Command.Acquire fourth = acquire("x");
      counted(2, store, fourth);
      // The release writes the grant of the next, who does not ask.
      counted(2, () -> store.release(Commands.release(second, again)));

      // Nobody waits any more; but somebody did, and may again.
      cancel(store, fourth);
      Command.Acquire fifth = acquire("x");
      counted(2, store, fifth);
      cancel(store, fifth);
      cancel(store, third);
      Command.Acquire sixth = acquire("x");
      AcquireReply free = counted(2, store, sixth);
      // Found free, it is like any other again.
      counted(1, () -> store.release(Commands.release(sixth, free)));
      counted(1, store, acquire("x"));

      counted(1, () -> store.nowMicros());
      renewalsAreBatched(store);
    }
  }

  private void renewalsAreBatched(JdbcStore store) {
    List<Command.Renew> renewals = new ArrayList<>();
    for (int i = 0; i < LockStore.MOST_RENEWALS; i++) {
      Command.Acquire command = acquire("held" + i);
      store.acquire(command);
      renewals.add(
          new Command.Renew(
              command.name(), command.claim(), Command.EVERYTHING, 20_000_000, "main"));
    }
    counter.count.set(0);
    List<RenewReply> replies = store.renew(renewals).toCompletableFuture().join();
    assertThat(replies)
        .hasSize(LockStore.MOST_RENEWALS)
        .allMatch(RenewReply.Held.class::isInstance);
    assertThat(counter.count.get()).as("a read, a batch and a commit").isEqualTo(3);
  }

  private AcquireReply counted(int statements, JdbcStore store, Command.Acquire command) {
    counter.count.set(0);
    AcquireReply reply = store.acquire(command).toCompletableFuture().join();
    assertThat(counter.count.get()).isEqualTo(statements);
    return reply;
  }

  private void counted(int statements, Runnable command) {
    counter.count.set(0);
    command.run();
    assertThat(counter.count.get()).isEqualTo(statements);
  }

  private static void cancel(JdbcStore store, Command.Acquire command) {
    store
        .cancel(new Command.Cancel(command.name(), command.claim(), false))
        .toCompletableFuture()
        .join();
  }

  private Command.Acquire acquire(String name) {
    return Commands.acquire(name, new ClaimId("node", ++claims), 65, "app", "main");
  }
}
