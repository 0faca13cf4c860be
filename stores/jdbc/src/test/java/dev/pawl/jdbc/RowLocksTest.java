package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
              if (Thread.currentThread().getName().equals("pawl-jdbc-heartbeat")) {
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
      assertThat(reply)
          .succeedsWithin(Databases.PATIENCE)
          .matches(
              answer ->
                  answer instanceof RenewReply.Gone
                      || (answer instanceof RenewReply.Held held && held.inDoubt()));
    }
  }

  /** As with flows that a firewall has forgotten, while others go on. */
  @Test
  void connectionsThatAreSilentDelayTheRenewalOfNoOther() throws Exception {
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    CountingDataSource stalling = new CountingDataSource();
    try (HikariDataSource pool = pool(Databases.h2());
        JdbcStore store = JdbcStore.open(stalling.of(pool), options)) {
      List<Command.Acquire> claims = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        claims.add(Commands.tryAcquire("name" + i, new ClaimId("mine", i)));
        assertThat(store.acquire(claims.get(i)).toCompletableFuture().join())
            .isInstanceOf(Granted.class);
      }
      AtomicInteger silent = new AtomicInteger(3);
      CountDownLatch goOn = new CountDownLatch(1);
      stalling.executed =
          sql -> {
            if (silent.getAndDecrement() > 0) {
              await(goOn);
            }
          };
      try {
        List<RenewReply> first = renewed(store, claims);
        List<RenewReply> second = renewed(store, claims);

        assertThat(first).allMatch(RenewReply.Held.class::isInstance);
        assertThat(first).filteredOn(each -> !isInDoubt(each)).hasSize(1);
        assertThat(second)
            .map(RowLocksTest::isInDoubt)
            .isEqualTo(first.stream().map(RowLocksTest::isInDoubt).toList());
        Command.Acquire unsure =
            claims.get(0).claim().equals(sure(first)) ? claims.get(1) : claims.get(0);
        assertThat(store.acquire(unsure).toCompletableFuture())
            .as("a copy of its acquire")
            .failsWithin(Databases.PATIENCE)
            .withThrowableThat()
            .withCauseInstanceOf(OutcomeUnknownException.class);
      } finally {
        goOn.countDown();
      }
      await(() -> renewed(store, claims).stream().noneMatch(RowLocksTest::isInDoubt));
    }
  }

  private static boolean isInDoubt(RenewReply reply) {
    return ((RenewReply.Held) reply).inDoubt();
  }

  /** Returns the claim that was renewed. */
  private static ClaimId sure(List<RenewReply> replies) {
    return replies.stream()
        .filter(each -> !isInDoubt(each))
        .map(each -> ((RenewReply.Held) each).grant().claim())
        .findFirst()
        .orElseThrow();
  }

  private static List<RenewReply> renewed(JdbcStore store, List<Command.Acquire> claims) {
    CompletableFuture<List<RenewReply>> replies = new CompletableFuture<>();
    List<Command.Renew> commands = claims.stream().map(RowLocksTest::renewal).toList();
    Thread thread =
        new Thread(() -> replies.complete(store.renew(commands).toCompletableFuture().join()));
    thread.setDaemon(true);
    thread.start();
    assertThat(replies).succeedsWithin(Databases.PATIENCE);
    return replies.join();
  }

  @Test
  void whatIsEnteredWhileTheStoreIsClosedIsHeldForNobody() throws Exception {
    String url = Databases.h2();
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    CountingDataSource watched = new CountingDataSource();
    try (HikariDataSource pool = pool(url);
        JdbcStore mine = JdbcStore.open(watched.of(pool), options);
        JdbcStore theirs = JdbcStore.open(url, options)) {
      AtomicBoolean entered = new AtomicBoolean();
      watched.prepared =
          (connection, sql) ->
              entered.compareAndSet(
                  false, sql.startsWith("INSERT INTO " + options.tables().rowLockLedger()));
      AtomicBoolean closed = new AtomicBoolean();
      watched.executed =
          sql -> {
            if (entered.get() && closed.compareAndSet(false, true)) {
              mine.close(); // It was shown that the lock is there still, and is not held yet.
            }
          };
      assertThat(
              mine.acquire(Commands.tryAcquire("x", new ClaimId("mine", 1))).toCompletableFuture())
          .failsWithin(Databases.PATIENCE)
          .withThrowableThat()
          .withCauseInstanceOf(StoreUnavailableException.class);
      assertThat(closed).isTrue();
      assertThat(
              theirs
                  .acquire(Commands.tryAcquire("x", new ClaimId("theirs", 1)))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(Granted.class);
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).as("connections kept").isZero();
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

  /** Others wait for them: what is kept for the next lock would be missing for good. */
  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "MYSQL", "H2"})
  void allConnectionsOfADataSourceGoBackWithTheLastLock(SqlDatabase database) {
    JdbcOptions options = Databases.newTables().withStrategy(JdbcStrategy.ROW_LOCK);
    try (HikariDataSource pool = pool(Databases.url(database, directory));
        JdbcStore store = JdbcStore.open(pool, options)) {
      List<Command.Acquire> claims = new ArrayList<>();
      List<AcquireReply> held = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        Command.Acquire claim = Commands.acquire("name" + i, new ClaimId("mine", i));
        claims.add(claim);
        held.add(store.acquire(claim).toCompletableFuture().join());
        // It comes back too from who finds the name locked.
        Command.Acquire other = Commands.tryAcquire("name" + i, new ClaimId("other", i));
        assertThat(store.acquire(other).toCompletableFuture().join())
            .isInstanceOf(AcquireReply.Busy.class);
        assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isEqualTo(i + 1);
      }
      for (int i = 0; i < claims.size(); i++) {
        store.release(Commands.release(claims.get(i), held.get(i))).toCompletableFuture().join();
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
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

  private static Command.Renew renewal(Command.Acquire claim) {
    return new Command.Renew(
        claim.name(), claim.claim(), claim.permits(), claim.leaseMicros(), claim.actor());
  }

  private static CompletableFuture<RenewReply> renewAsync(JdbcStore store, Command.Acquire claim) {
    CompletableFuture<RenewReply> reply = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () ->
                reply.complete(
                    store.renew(List.of(renewal(claim))).toCompletableFuture().join().get(0)));
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
