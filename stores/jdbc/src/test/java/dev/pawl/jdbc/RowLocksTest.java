package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.rowlock.RowLocks;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.AcquireReply.Granted;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RowLocksTest {

  /** Less than any of the databases waits for a row. */
  private static final long NOT_BY_ITSELF_NANOS = TimeUnit.MILLISECONDS.toNanos(600);

  /** For less than a copy of an acquire waits for the other one to end. */
  private static final long COPY_NANOS = TimeUnit.MILLISECONDS.toNanos(80);

  /** So many, and a machine on which each takes too long is none to test anything on. */
  private static final int MOST_ROUNDS = 30;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void aCopyOfAnAcquireThatWaitsIsAnsweredLikeTheOther(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    try (JdbcStore holding = JdbcStore.open(url, options);
        JdbcStore waiting = JdbcStore.open(url, options);
        Connection connection = DriverManager.getConnection(url)) {
      boolean alike = false;
      // Once more, if the machine takes longer than an acquire, or its copy, waits.
      for (int round = 0; !alike; round++) {
        assertThat(round).as("rounds").isLessThan(MOST_ROUNDS);
        String name = "name" + round;
        Command.Acquire holder = Commands.acquire(name, new ClaimId("holder", round));
        Command.Acquire waiter = Commands.acquire(name, new ClaimId("waiter", round));
        AcquireReply held = holding.acquire(holder).toCompletableFuture().join();
        CompletableFuture<AcquireReply> first = async(waiting, waiter);
        awaitOneThatWaits(database, connection, first);
        // Alive, and not granted; behind that, the copy has the answer of the other.
        assertThat(waiting.acquire(waiter).toCompletableFuture().join())
            .isInstanceOf(AcquireReply.Busy.class);
        long asked = System.nanoTime();
        CompletableFuture<AcquireReply> second = async(waiting, waiter);
        holding.release(Commands.release(holder, held)).toCompletableFuture().join();

        AcquireReply got = first.get(1, TimeUnit.MINUTES);
        AcquireReply copy = second.get(1, TimeUnit.MINUTES);
        long took = System.nanoTime() - asked;
        if (got instanceof AcquireReply.Granted granted) {
          if (took < COPY_NANOS) {
            assertThat(copy).isInstanceOf(AcquireReply.Granted.class);
          }
          if (copy instanceof AcquireReply.Granted again) {
            assertThat(again.grant().token()).isEqualTo(granted.grant().token());
            alike = true;
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL"})
  void aWaitThatIsGivenUpEndsInTheDatabase(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    try (JdbcStore holding = JdbcStore.open(url, options);
        JdbcStore waiting = JdbcStore.open(url, options);
        Connection connection = DriverManager.getConnection(url)) {
      Command.Acquire holder = Commands.acquire("name", new ClaimId("holder", 1), 300_000_000);
      AcquireReply held = holding.acquire(holder).toCompletableFuture().join();
      long shortest = Long.MAX_VALUE;
      // Once more, if the machine takes longer than an acquire waits in the database.
      for (int round = 0; shortest > NOT_BY_ITSELF_NANOS; round++) {
        assertThat(round).as("rounds").isLessThan(MOST_ROUNDS);
        Command.Acquire waiter = Commands.acquire("name", new ClaimId("waiter", round));
        long asked = System.nanoTime();
        CompletableFuture<AcquireReply> reply = async(waiting, waiter);
        awaitOneThatWaits(database, connection, reply);
        waiting.cancel(new Command.Cancel("name", waiter.claim(), true));

        AcquireReply ended = reply.get(1, TimeUnit.MINUTES);
        long took = System.nanoTime() - asked;
        if (took > NOT_BY_ITSELF_NANOS && ended instanceof AcquireReply.Busy) {
          continue; // It had waited enough before it was given up.
        }
        assertThat(ended).isInstanceOf(AcquireReply.Ended.class);
        shortest = Math.min(shortest, took);
      }
      holding.release(Commands.release(holder, held)).toCompletableFuture().join();
      // What was cancelled harms nobody who has its connection afterwards.
      for (int round = 0; round < 3; round++) {
        Command.Acquire next = Commands.tryAcquire("name", new ClaimId("next", round));
        AcquireReply got = waiting.acquire(next).toCompletableFuture().join();
        waiting.release(Commands.release(next, got)).toCompletableFuture().join();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void aLeaseThatEndsDuringItsHeartbeatIsNotRenewed(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    CountingDataSource stalling = new CountingDataSource();
    try (HikariDataSource pool = pool(url);
        JdbcStore mine = JdbcStore.open(stalling.of(pool), options);
        JdbcStore theirs = JdbcStore.open(url, options)) {
      CountDownLatch beaten = new CountDownLatch(1);
      CountDownLatch taken = new CountDownLatch(1);
      CompletableFuture<RenewReply> reply = null;
      // Once more, with a longer lease, if the machine was so slow that it was over before.
      for (int round = 0; beaten.getCount() > 0; round++) {
        long leaseMicros = 500_000L << round;
        Command.Acquire claim =
            Commands.acquire("name" + round, new ClaimId("mine", round), leaseMicros);
        assertThat(mine.acquire(claim).toCompletableFuture().join())
            .isInstanceOf(AcquireReply.Granted.class);
        stalling.executed =
            sql -> {
              if (Thread.currentThread().getName().equals("renewing")) {
                beaten.countDown();
                await(taken);
              }
            };
        CompletableFuture<RenewReply> renewed = renewAsync(mine, claim);
        reply = renewed;
        Command.Acquire next = Commands.tryAcquire(claim.name(), new ClaimId("theirs", round));
        await(() -> theirs.acquire(next).toCompletableFuture().join() instanceof Granted);
      }
      taken.countDown();
      assertThat(reply).succeedsWithin(Databases.PATIENCE).isInstanceOf(RenewReply.Gone.class);
    }
  }

  @Test
  void aReleaseLeavesNoTimerBehind() throws Exception {
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    String url = Databases.h2();
    ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(1);
    timer.setRemoveOnCancelPolicy(true);
    try (HikariDataSource pool = pool(url);
        Connections connections =
            Connections.of(pool, SqlDatabase.H2.dialect(), "H2", Databases.PATIENCE);
        RowLocks locks =
            new RowLocks(
                connections,
                SqlDatabase.H2.dialect(),
                options.tables(),
                options.retention(),
                timer)) {
      new Schema(connections, SqlDatabase.H2.dialect(), options.tables(), true).check();
      for (int i = 0; i < 3; i++) {
        Command.Acquire claim = Commands.acquire("name", new ClaimId("mine", i));
        AcquireReply held = locks.acquire(claim);
        assertThat(timer.getQueue()).hasSize(1);
        locks.release(Commands.release(claim, held));
        assertThat(timer.getQueue()).isEmpty();
      }
    } finally {
      timer.shutdownNow();
    }
  }

  /** I6: nothing would end it. */
  @Test
  void withoutAThreadForItsTimerNothingIsHeldForNobody() throws Exception {
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    AtomicBoolean first = new AtomicBoolean(true);
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1) {
          @Override
          public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            if (first.getAndSet(false)) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            return super.schedule(task, delay, unit);
          }
        };
    try (HikariDataSource pool = pool(Databases.h2());
        Connections connections =
            Connections.of(pool, SqlDatabase.H2.dialect(), "H2", Databases.PATIENCE);
        RowLocks locks =
            new RowLocks(
                connections,
                SqlDatabase.H2.dialect(),
                options.tables(),
                options.retention(),
                timer)) {
      new Schema(connections, SqlDatabase.H2.dialect(), options.tables(), true).check();
      assertThatThrownBy(() -> locks.acquire(Commands.tryAcquire("x", new ClaimId("mine", 1))))
          .isInstanceOf(OutOfMemoryError.class);
      assertThat(locks.acquire(Commands.tryAcquire("x", new ClaimId("mine", 2))))
          .isInstanceOf(Granted.class);
    } finally {
      timer.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void aConnectionOfADataSourceGoesBackAsItCame(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    for (boolean autoCommit : new boolean[] {true, false}) {
      goesBackAsItCame(database, url, options, autoCommit);
    }
  }

  private static void goesBackAsItCame(
      SqlDatabase database, String url, JdbcOptions options, boolean autoCommit)
      throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    config.setAutoCommit(autoCommit);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      String before = settings(database, pool);
      try (JdbcStore store = JdbcStore.open(pool, options)) {
        Command.Acquire claim = Commands.acquire("name", new ClaimId("mine", 1));
        AcquireReply held = store.acquire(claim).toCompletableFuture().join();
        store.release(Commands.release(claim, held)).toCompletableFuture().join();
      }
      try (Connection first = pool.getConnection()) {
        assertThat(settings(database, first)).isEqualTo(before);
        assertThat(settings(database, pool)).isEqualTo(before);
      }
    }
  }

  private static String settings(SqlDatabase database, HikariDataSource pool) throws SQLException {
    try (Connection connection = pool.getConnection()) {
      return settings(database, connection);
    }
  }

  private static String settings(SqlDatabase database, Connection connection) throws SQLException {
    long wait = database.dialect().lockWaitSeconds(connection).orElse(0);
    return connection.getAutoCommit() + " " + connection.getTransactionIsolation() + " " + wait;
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    return new HikariDataSource(config);
  }

  private static CompletableFuture<RenewReply> renewAsync(JdbcStore store, Command.Acquire claim) {
    Command.Renew renew =
        new Command.Renew(
            claim.name(), claim.claim(), claim.permits(), claim.leaseMicros(), claim.actor());
    CompletableFuture<RenewReply> reply = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> reply.complete(store.renew(List.of(renew)).toCompletableFuture().join().get(0)),
            "renewing");
    thread.setDaemon(true);
    thread.start();
    return reply;
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static CompletableFuture<AcquireReply> async(JdbcStore store, Command.Acquire command) {
    CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> reply.complete(store.acquire(command).toCompletableFuture().join()), "asking");
    thread.setDaemon(true);
    thread.start();
    return reply;
  }

  /** Waits until an acquire waits in the database, which it does for less than a second. */
  private static void awaitOneThatWaits(
      SqlDatabase database, Connection connection, CompletableFuture<?> acquire)
      throws SQLException {
    String sql =
        database == SqlDatabase.POSTGRESQL
            ? "SELECT count(*) FROM pg_locks WHERE NOT granted"
            : "SELECT count(*) FROM information_schema.processlist"
                + " WHERE info LIKE '% FOR UPDATE%' AND id <> connection_id()";
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (count(connection, sql) == 0 && !acquire.isDone()) {
      assertThat(System.nanoTime()).as("nobody waits").isLessThan(end);
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static long count(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      result.next();
      return result.getLong(1);
    }
  }
}
