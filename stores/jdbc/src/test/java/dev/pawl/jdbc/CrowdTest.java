package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many claims on one name: what they cost, and that each of them has its turn. */
class CrowdTest {

  private static final int CLAIMS = 100;
  private static final int NODES = 8;

  /** More than the slowest machine needs for hundreds of them. */
  private static final long LONG_MICROS = 600_000_000;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void allClaimsOnANameAreRenewedByOneReadAndOneWrite(SqlDatabase database) {
    CountingDataSource counter = new CountingDataSource();
    JdbcOptions options = Databases.newTables();
    HikariConfig config = new HikariConfig();
    config.setDataSource(Databases.source(Databases.url(database, directory), database, options));
    config.setMaximumPoolSize(database == SqlDatabase.SQLITE ? 1 : 3);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(counter.of(pool), options)) {
      List<Command.Renew> renewals = readers(store, "name", "node");
      counter.count.set(0);
      assertThat(store.renew(renewals).toCompletableFuture().join())
          .hasSize(CLAIMS)
          .allMatch(RenewReply.Held.class::isInstance);
      assertThat(counter.count.get()).as("statements").isEqualTo(2);

      // Beside others, which are read together with it: a batch and its commit for those.
      Command.Acquire alone = Commands.acquire("other", new ClaimId("node", 0), LONG_MICROS);
      store.acquire(alone);
      List<Command.Renew> mixed = new ArrayList<>(renewals);
      mixed.add(CLAIMS / 2, renewal(alone));
      awaitNextTick(store);
      counter.count.set(0);
      List<RenewReply> replies = store.renew(mixed).toCompletableFuture().join();
      for (int i = 0; i < mixed.size(); i++) {
        assertThat(replies.get(i)).isInstanceOf(RenewReply.Held.class);
        assertThat(((RenewReply.Held) replies.get(i)).grant().claim())
            .isEqualTo(mixed.get(i).claim());
      }
      assertThat(counter.count.get()).as("statements").isEqualTo(4);
    }
  }

  /** A renewal in the same millisecond of SQLite's clock changes nothing, and is not written. */
  private static void awaitNextTick(JdbcStore store) {
    long now = nowMicros(store);
    while (nowMicros(store) == now) {
      Thread.onSpinWait();
    }
  }

  private static long nowMicros(JdbcStore store) {
    return store.nowMicros().toCompletableFuture().join();
  }

  @ParameterizedTest
  @EnumSource
  void nodesThatRenewOneNameAtOnceAllHaveTheirTurn(SqlDatabase database) throws Exception {
    JdbcOptions options = Databases.newTables().withPoolSize(NODES);
    ExecutorService threads = Executors.newFixedThreadPool(NODES);
    try (JdbcStore store = JdbcStore.open(Databases.url(database, directory), options)) {
      List<CompletableFuture<List<RenewReply>>> rounds = new ArrayList<>();
      for (int node = 0; node < NODES; node++) {
        List<Command.Renew> renewals = readers(store, "name", "node" + node).subList(0, 10);
        rounds.add(
            CompletableFuture.supplyAsync(
                () -> {
                  List<RenewReply> replies = new ArrayList<>();
                  for (int round = 0; round < 20; round++) {
                    replies.addAll(store.renew(renewals).toCompletableFuture().join());
                  }
                  return replies;
                },
                threads));
      }
      for (CompletableFuture<List<RenewReply>> each : rounds) {
        assertThat(each.get(2, TimeUnit.MINUTES)).allMatch(RenewReply.Held.class::isInstance);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aThousandNodesThatAskForOneNameAtOnceAllQueue(SqlDatabase database) throws Exception {
    int nodes = 1_000;
    // As many calls at a time as a node has threads for them, over a pool of two.
    ExecutorService threads = Executors.newFixedThreadPool(100);
    JdbcOptions options = Databases.newTables().withPoolSize(2).withTimeout(Duration.ofMinutes(1));
    try (JdbcStore store = JdbcStore.open(Databases.url(database, directory), options)) {
      store.acquire(Commands.acquire("name", new ClaimId("holder", 1)));
      List<CompletableFuture<AcquireReply>> replies = new ArrayList<>();
      for (int i = 0; i < nodes; i++) {
        Command.Acquire waiter = Commands.acquire("name", new ClaimId("node" + i, 1));
        replies.add(
            CompletableFuture.supplyAsync(
                () -> store.acquire(waiter).toCompletableFuture().join(), threads));
      }
      for (CompletableFuture<AcquireReply> each : replies) {
        // Granted, if the machine is so slow that the lease of the holder has ended.
        assertThat(each.get(3, TimeUnit.MINUTES))
            .isInstanceOfAny(AcquireReply.Queued.class, AcquireReply.Granted.class);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  /** What locks the record here is a session outside; a crowd of writers has the same effect. */
  @Test
  void nodesThatAskForALockedRecordTakeNoConnectionFromOtherNames() throws Exception {
    int nodes = 50;
    JdbcOptions options = Databases.newTables().withPoolSize(3).withTimeout(Duration.ofMinutes(1));
    List<Thread> threads = new ArrayList<>();
    List<AcquireReply> replies = Collections.synchronizedList(new ArrayList<>());
    try (JdbcStore store = JdbcStore.open(Databases.postgres(), options);
        Connection outside = DriverManager.getConnection(Databases.postgres());
        Statement statement = outside.createStatement()) {
      store.acquire(Commands.acquire("name", new ClaimId("holder", 1), LONG_MICROS));
      outside.setAutoCommit(false);
      statement.execute("SELECT 1 FROM " + options.prefix() + "lock FOR UPDATE");
      for (int i = 0; i < nodes; i++) {
        Command.Acquire waiter = Commands.acquire("name", new ClaimId("node" + i, 1));
        Thread thread =
            new Thread(() -> replies.add(store.acquire(waiter).toCompletableFuture().join()));
        thread.start();
        threads.add(thread);
      }
      while (threads.stream().filter(CrowdTest::isParked).count() < nodes - options.poolSize()) {
        Thread.onSpinWait();
      }
      assertThat(store.acquire(Commands.acquire("other", new ClaimId("node", 1))))
          .succeedsWithin(Duration.ofSeconds(20))
          .isInstanceOf(AcquireReply.Granted.class);
      outside.rollback();
      for (Thread thread : threads) {
        thread.join();
      }
      assertThat(replies).hasSize(nodes).allMatch(AcquireReply.Queued.class::isInstance);
    }
  }

  private static boolean isParked(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        || thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** Lets a node hold a name that many times, shared. */
  private static List<Command.Renew> readers(JdbcStore store, String name, String node) {
    List<Command.Renew> renewals = new ArrayList<>();
    for (int i = 1; i <= CLAIMS; i++) {
      Command.Acquire shared =
          new Command.Acquire(
              name,
              new ClaimId(node, i),
              1,
              Command.EVERYTHING,
              LONG_MICROS,
              1,
              OptionalLong.empty(),
              true,
              true,
              "app",
              "main");
      assertThat(store.acquire(shared).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Granted.class);
      renewals.add(renewal(shared));
    }
    Collections.shuffle(renewals);
    return renewals;
  }

  private static Command.Renew renewal(Command.Acquire claim) {
    return new Command.Renew(
        claim.name(), claim.claim(), claim.permits(), claim.leaseMicros(), claim.actor());
  }
}
