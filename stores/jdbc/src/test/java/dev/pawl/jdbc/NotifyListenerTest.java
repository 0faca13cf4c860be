package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.FaultProxy;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.PostgresServer;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class NotifyListenerTest {

  private final CountingDataSource source = new CountingDataSource();
  private JdbcStore holding;
  private JdbcStore waiting;
  private long claims;

  @Test
  void whatTheFirstLookHasToldIsNotToldAgain() throws Exception {
    // A waiter that nobody renews lives for two seconds, which may pass between two commands.
    Measurement.whereNothingStalls(
        () -> {
          JdbcOptions options = Databases.newTables();
          DataSource server =
              Databases.source(Databases.postgres(), SqlDatabase.POSTGRESQL, options);
          try (JdbcStore one = JdbcStore.open(server, options);
              JdbcStore other = JdbcStore.open(source.of(server), options)) {
            holding = one;
            waiting = other;
            handOverTwice();
          }
        });
  }

  @Test
  @Timeout(180)
  void aConnectionThatDiesSilentlyIsMadeAnew() throws Exception {
    JdbcOptions options = Databases.newTables();
    PostgresServer postgres = Databases.postgresServer();
    DataSource server = Databases.source(postgres.url(), SqlDatabase.POSTGRESQL, options);
    try (FaultProxy proxy = FaultProxy.to("127.0.0.1", postgres.port())) {
      String byWayOf = postgres.url().replace(":" + postgres.port(), ":" + proxy.port());
      DataSource first = Databases.source(byWayOf, SqlDatabase.POSTGRESQL, options);
      CountDownLatch deaf = new CountDownLatch(1);
      source.executed =
          sql -> {
            if (sql.startsWith("LISTEN") && deaf.getCount() > 0) {
              proxy.stall();
              deaf.countDown();
            }
          };
      DataSource listening = source.of(first);
      try (JdbcStore one = JdbcStore.open(server, options);
          JdbcStore other = JdbcStore.open(firstToListen(listening, server), options)) {
        holding = one;
        waiting = other;
        BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
        waiting.subscribe("waiting", heard::add);
        take("kept");
        queue("kept");
        assertThat(deaf.await(1, TimeUnit.MINUTES)).isTrue();
        // Until it is made anew, nobody is told; a waiter lives for two seconds meanwhile.
        ClaimId granted;
        do {
          heard.clear();
          Command.Release release = take("next" + claims);
          granted = queue(release.name());
          holding.release(release).toCompletableFuture().join();
        } while (!granted.equals(claimOf(heard.poll(2, TimeUnit.SECONDS))));
      }
    }
  }

  /** Gives the thread that listens another connection at first, and the usual ones later. */
  private static DataSource firstToListen(DataSource first, DataSource then) {
    AtomicBoolean isFirst = new AtomicBoolean(true);
    return (DataSource)
        Proxy.newProxyInstance(
            NotifyListenerTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (self, method, arguments) ->
                Thread.currentThread().getName().equals("pawl-jdbc-listen")
                        && isFirst.getAndSet(false)
                    ? first.getConnection()
                    : then.getConnection());
  }

  @Test
  void nothingIsLeftOnAConnectionThatGoesBackToAPool() throws Exception {
    JdbcOptions options = Databases.newTables();
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.postgres());
    config.setMaximumPoolSize(3);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      CountDownLatch listens = new CountDownLatch(1);
      source.executed =
          sql -> {
            if (sql.startsWith("LISTEN")) {
              listens.countDown();
            }
          };
      try (JdbcStore one = JdbcStore.open(pool, options);
          JdbcStore other = JdbcStore.open(source.of(pool), options)) {
        holding = one;
        waiting = other;
        waiting.subscribe("waiting", signal -> {});
        take("x");
        queue("x");
        assertThat(listens.await(1, TimeUnit.MINUTES)).isTrue();
      }
      List<Connection> all = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        all.add(pool.getConnection()); // All of them: the listener has given back its own.
      }
      for (Connection connection : all) {
        assertThat(JdbcStoreTest.count(connection, "pg_listening_channels()")).isZero();
        connection.close();
      }
    }
  }

  private void handOverTwice() throws Exception {
    BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
    waiting.subscribe("waiting", heard::add);
    Command.Release release = take("first");
    AtomicReference<Command.Release> atFirst = new AtomicReference<>(release);
    source.executed =
        sql -> {
          // It listens, so it is notified; and it has not looked yet, so it will see it as well.
          if (sql.startsWith("LISTEN") && atFirst.getAndSet(null) != null) {
            holding.release(release).toCompletableFuture().join();
          }
        };
    ClaimId first = queue("first");
    assertThat(next(heard)).isEqualTo(first);

    // A second hand-over stands for the time in which a second notification would have come.
    Command.Release second = take("second");
    ClaimId last = queue("second");
    holding.release(second).toCompletableFuture().join();
    assertThat(next(heard)).isEqualTo(last);
  }

  private static @Nullable ClaimId claimOf(@Nullable Signal signal) {
    return signal instanceof Signal.Granted granted ? granted.grant().claim() : null;
  }

  private static ClaimId next(BlockingQueue<Signal> heard) throws InterruptedException {
    Signal signal = heard.poll(10, TimeUnit.SECONDS);
    assertThat(signal).isInstanceOf(Signal.Granted.class);
    return ((Signal.Granted) signal).grant().claim();
  }

  private Command.Release take(String name) {
    Command.Acquire command = Commands.acquire(name, new ClaimId("holding", ++claims));
    return Commands.release(command, holding.acquire(command).toCompletableFuture().join());
  }

  private ClaimId queue(String name) {
    Command.Acquire command = Commands.acquire(name, new ClaimId("waiting", ++claims));
    assertThat(waiting.acquire(command).toCompletableFuture().join())
        .isInstanceOf(AcquireReply.Queued.class);
    return command.claim();
  }
}
