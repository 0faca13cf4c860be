package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JournalEntry;
import dev.pawl.jdbc.sql.Utf8;
import dev.pawl.jdbc.strategy.Upkeep;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Journal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * I10: clean-up goes on whatever happens, beside everything else, and in stores that live briefly.
 */
class UpkeepTest {

  @TempDir Path directory;

  @Test
  void anErrorDoesNotEndIt() throws Exception {
    CountDownLatch again = new CountDownLatch(3);
    try (Upkeep upkeep =
        new Upkeep(
            after -> {
              again.countDown();
              throw new NoClassDefFoundError("just now");
            },
            Duration.ofSeconds(1))) {
      upkeep.onFailure();
      assertThat(again.await(1, TimeUnit.MINUTES)).isTrue();
    }
  }

  @Test
  void aLongOneKeepsNobodyWaiting() throws Exception {
    AtomicReference<Thread> cleaning = new AtomicReference<>();
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch polled = new CountDownLatch(1);
    String url = Databases.h2();
    try (JdbcStore store = JdbcStore.open(url, Databases.newTables());
        Upkeep upkeep =
            new Upkeep(
                after -> {
                  cleaning.set(Thread.currentThread());
                  begun.countDown();
                  LockSupport.park();
                  return Optional.empty();
                },
                Duration.ofSeconds(1))) {
      upkeep.onFailure();
      assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
      store.subscribe("waiting", signal -> polled.countDown());
      // A waiter lives for two seconds, which may pass before the release.
      for (int round = 1; polled.getCount() > 0; round++) {
        assertThat(round).as("rounds").isLessThan(20);
        Command.Acquire holder = Commands.acquire("name" + round, new ClaimId("holding", round));
        AcquireReply held = store.acquire(holder).toCompletableFuture().join();
        store.acquire(Commands.acquire(holder.name(), new ClaimId("waiting", round)));
        store.release(Commands.release(holder, held));
        var unused = polled.await(3, TimeUnit.SECONDS);
      }
      assertThat(cleaning.get().getName()).isEqualTo("pawl-jdbc-clean-up");
    }
  }

  @Test
  void storesThatLiveForAMomentLeaveNoMoreThanOthers() throws Exception {
    String url = Databases.url(SqlDatabase.SQLITE, directory);
    JdbcOptions options =
        JdbcOptions.DEFAULT.withRetention(Duration.ofSeconds(1)).withTimeout(Databases.PATIENCE);
    for (int i = 0; i < 230; i++) {
      liveBriefly(url, options, i);
    }
    try (Connection connection = DriverManager.getConnection(url)) {
      assertThat(JdbcStoreTest.count(connection, "pawl_journal"))
          .isLessThanOrEqualTo(Journal.OF_EACH_NAME);
      long end = System.nanoTime() + Databases.PATIENCE.toNanos();
      for (int i = 230; JdbcStoreTest.count(connection, "pawl_lock") > 5; i++) {
        assertThat(System.nanoTime()).as("names that stay behind").isLessThan(end);
        TimeUnit.MILLISECONDS.sleep(500);
        liveBriefly(url, options, i);
      }
    }
  }

  private static void liveBriefly(String url, JdbcOptions options, int i) {
    try (JdbcStore store = JdbcStore.open(url, options)) {
      Command.Acquire claim = Commands.acquire("run " + i, new ClaimId("node", i));
      AcquireReply held = store.acquire(claim).toCompletableFuture().join();
      store
          .journal()
          .append(JournalEntry.Kind.FORCED_RELEASE, "job:every minute", i, "node", Map.of())
          .toCompletableFuture()
          .join();
      store.release(Commands.release(claim, held)).toCompletableFuture().join();
    }
  }

  /** More names than one slice has, that are in use, before those that are idle. */
  @ParameterizedTest
  @EnumSource(
      value = SqlDatabase.class,
      names = {"SQLITE", "POSTGRESQL", "H2"})
  void namesInUseDoNotHideIdleOnes(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables().withRetention(Duration.ofSeconds(1));
    try (JdbcStore store = JdbcStore.open(url, options);
        Connection connection = DriverManager.getConnection(url)) {
      long now = store.nowMicros().toCompletableFuture().join();
      insert(connection, options, "a", 1_200, now + 600_000_000);
      insert(connection, options, "b", 700, now - 600_000_000);
      long end = System.nanoTime() + Databases.PATIENCE.toNanos();
      while (JdbcStoreTest.count(connection, options.tables().leases()) > 1_200) {
        assertThat(System.nanoTime()).as("idle names stay").isLessThan(end);
        TimeUnit.MILLISECONDS.sleep(50);
      }
      assertThat(JdbcStoreTest.count(connection, options.tables().leases())).isEqualTo(1_200);
    }
  }

  private static void insert(
      Connection connection, JdbcOptions options, String prefix, int count, long untilMicros)
      throws Exception {
    connection.setAutoCommit(false);
    try (PreparedStatement statement =
        connection.prepareStatement(
            "INSERT INTO "
                + options.tables().leases()
                + " (name, version, last_token, mark, permits, token, span, since_us, until_us)"
                + " VALUES (?, 1, 1, -1, 1, 1, 1, 1, ?)")) {
      for (int i = 0; i < count; i++) {
        statement.setBytes(1, Utf8.bytes(prefix + i));
        statement.setLong(2, untilMicros);
        statement.addBatch();
      }
      statement.executeBatch();
    }
    connection.commit();
    connection.setAutoCommit(true);
  }

  @ParameterizedTest
  @EnumSource(
      value = SqlDatabase.class,
      names = {"POSTGRESQL", "H2"})
  void rowLocksThatAreHeldForLongDoNotHideIdleOnes(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options =
        Databases.newTables()
            .withStrategy(JdbcStrategy.ROW_LOCK)
            .withRetention(Duration.ofSeconds(1));
    try (JdbcStore store = JdbcStore.open(url, options);
        Connection connection = DriverManager.getConnection(url)) {
      for (int i = 0; i < 210; i++) {
        Command.Acquire claim = Commands.acquire("n%03d".formatted(i), new ClaimId("node", i));
        AcquireReply held = store.acquire(claim).toCompletableFuture().join();
        store.release(Commands.release(claim, held)).toCompletableFuture().join();
      }
      connection.setAutoCommit(false); // One who holds the first hundred and fifty of them.
      try (PreparedStatement statement =
          connection.prepareStatement(
              "SELECT name FROM " + options.tables().rowLocks() + " WHERE name < ? FOR UPDATE")) {
        statement.setBytes(1, Utf8.bytes("n150"));
        statement.executeQuery().close();
      }
      try (Connection looking = DriverManager.getConnection(url)) {
        long end = System.nanoTime() + Databases.PATIENCE.toNanos();
        while (JdbcStoreTest.count(looking, options.tables().rowLockLedger()) > 150) {
          assertThat(System.nanoTime()).as("idle names stay").isLessThan(end);
          TimeUnit.MILLISECONDS.sleep(50);
        }
      }
      connection.rollback();
    }
  }
}
