package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Twenty-four threads over four names, without a node that would put them in line: no deadlock in
 * the database, and never two holders. {@code -Dpawl.jdbc.attempts=100000} for the long run.
 */
@Isolated("it counts the deadlocks of a server")
class ContentionTest {

  private static final int ATTEMPTS = Integer.getInteger("pawl.jdbc.attempts", 6_000);
  private static final int THREADS = 24;
  private static final int NAMES = 4;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB"})
  void noDeadlockAndNoSecondHolder(SqlDatabase database) throws Exception {
    String url = database == SqlDatabase.POSTGRESQL ? newPostgres() : Databases.mariaDb();
    long before = deadlocks(database, url);
    AtomicInteger left = new AtomicInteger(ATTEMPTS);
    AtomicInteger granted = new AtomicInteger();
    AtomicIntegerArray inside = new AtomicIntegerArray(NAMES);
    List<Throwable> failures = new ArrayList<>();
    try (JdbcStore store = JdbcStore.open(url, Databases.newTables().withPoolSize(THREADS))) {
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        String node = "node" + t;
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; left.getAndDecrement() > 0; i++) {
                    attempt(store, new ClaimId(node, i), inside, granted);
                  }
                });
        thread.setUncaughtExceptionHandler(
            (where, e) -> {
              synchronized (failures) {
                failures.add(e);
              }
            });
        thread.start();
        threads.add(thread);
      }
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(failures).isEmpty();
    assertThat(granted.get()).isPositive();
    assertThat(deadlocks(database, url) - before).as("deadlocks the server saw").isZero();
  }

  private static void attempt(
      JdbcStore store, ClaimId claim, AtomicIntegerArray inside, AtomicInteger granted) {
    int n = ThreadLocalRandom.current().nextInt(NAMES);
    boolean queue = ThreadLocalRandom.current().nextInt(4) == 0;
    Command.Acquire command =
        new Command.Acquire(
            "name" + n,
            claim,
            Command.EVERYTHING,
            Command.EVERYTHING,
            30_000_000,
            1,
            OptionalLong.empty(),
            queue,
            true,
            "app",
            "thread");
    AcquireReply reply = store.acquire(command).toCompletableFuture().join();
    if (reply instanceof AcquireReply.Granted grant) {
      assertThat(inside.incrementAndGet(n)).isEqualTo(1);
      granted.incrementAndGet();
      inside.decrementAndGet(n);
      store
          .release(
              new Command.Release(
                  command.name(), claim, grant.grant().token(), OptionalLong.empty(), false))
          .toCompletableFuture()
          .join();
    } else if (reply instanceof AcquireReply.Queued) {
      store.cancel(new Command.Cancel(command.name(), claim, false)).toCompletableFuture().join();
    }
  }

  /** A database of its own: the server counts what happened to others late. */
  private static String newPostgres() throws Exception {
    String name = Databases.prefix() + "contention";
    try (Connection connection = DriverManager.getConnection(Databases.postgres())) {
      Sql.execute(connection, "CREATE DATABASE " + name);
    }
    return Databases.postgres().replace("/postgres?", "/" + name + "?");
  }

  private static long deadlocks(SqlDatabase database, String url) throws Exception {
    String sql =
        database == SqlDatabase.POSTGRESQL
            ? "SELECT 0, deadlocks FROM pg_stat_database WHERE datname = current_database()"
            : "SHOW GLOBAL STATUS LIKE 'Innodb_deadlocks'";
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      return result.next() ? result.getLong(2) : 0;
    }
  }
}
