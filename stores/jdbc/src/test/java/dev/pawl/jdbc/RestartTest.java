package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.testservers.DatabaseServer;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.MySqlServer;
import dev.pawl.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A server that is killed, stays away, is paused and comes back. */
class RestartTest {

  private static final LockOptions LONG = LockOptions.DEFAULT.withLease(Duration.ofMinutes(3));
  private static final LockOptions SHORT = LockOptions.DEFAULT.withLease(Duration.ofSeconds(1));

  @Test
  void postgresIsKilledAndComesBack() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      outage(server);
      pause(server);
    }
  }

  @Test
  void mariaDbIsKilledAndComesBack() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      outage(server);
      pause(server);
    }
  }

  @Test
  void mySqlIsKilledAndComesBack() throws Exception {
    assumeThat(MySqlServer.isAvailable()).as("MySQL runs here: it needs libaio.so.1").isTrue();
    try (MySqlServer server = MySqlServer.start()) {
      outage(server);
      pause(server);
    }
  }

  @Test
  void whatMustOutlastACrashOfPostgresDoes() throws Exception {
    // What is not flushed by its own commit is not flushed at all.
    try (PostgresServer server = PostgresServer.start("wal_writer_delay=10s");
        Pawl pawl = Pawl.builder(server.url()).responseTimeout(Duration.ofSeconds(10)).build()) {
      Instant tick = Instant.now().truncatedTo(ChronoUnit.MINUTES);
      AtomicInteger runs = new AtomicInteger();
      pawl.job("job").run(tick, run -> runs.incrementAndGet());
      long released;
      try (Lease lease = pawl.lock("released", SHORT).acquire()) {
        released = lease.token();
      }
      Lease held = pawl.lock("held", LONG).acquire();

      server.kill();
      server.restart();

      pawl.job("job").run(tick, run -> runs.incrementAndGet());
      assertThat(runs.get()).as("a run that was done is done").isEqualTo(1);
      try (Pawl other = Pawl.builder(server.url()).responseTimeout(Databases.PATIENCE).build()) {
        assertThat(other.lock("held").tryAcquire()).isEmpty();
        // At the latest when its lease ends, should the release have been lost.
        try (Lease next = other.lock("released").acquire(Duration.ofMinutes(1))) {
          assertThat(next.token()).isGreaterThan(released);
        }
      }
      held.close();
    }
  }

  @Test
  void theOldPrimaryIsLeftForTheNewOne() throws Exception {
    try (PostgresServer old = PostgresServer.start();
        PostgresServer next = PostgresServer.start()) {
      JdbcStore.open(next.url(), JdbcOptions.DEFAULT.withTimeout(Databases.PATIENCE)).close();
      String both =
          old.url().replace(":" + old.port(), ":" + old.port() + ",127.0.0.1:" + next.port())
              + "&targetServerType=primary";
      try (Pawl pawl = Pawl.builder(both).responseTimeout(Duration.ofSeconds(30)).build()) {
        pawl.lock("x").acquire().close();
        try (Connection connection = DriverManager.getConnection(old.url())) {
          Sql.execute(connection, "ALTER SYSTEM SET default_transaction_read_only = on");
          Sql.execute(connection, "SELECT pg_reload_conf()");
        }
        try (Pawl there = Pawl.builder(next.url()).responseTimeout(Databases.PATIENCE).build()) {
          long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
          while (there.inspector().find("x").isEmpty()) {
            assertThat(System.nanoTime()).as("still at the old one").isLessThan(end);
            try (Lease lease = pawl.lock("x").acquire()) {
              assertThat(lease.isHeld()).isTrue();
            } catch (StoreUnavailableException e) {
              // The old one takes no writes.
            }
          }
        }
      }
    }
  }

  private static void outage(DatabaseServer server) throws Exception {
    String url = server.url();
    // A killed server takes its time to recover: waiters bear ten times the response timeout.
    try (Pawl a = Pawl.builder(url).responseTimeout(Duration.ofSeconds(10)).build();
        Pawl b = Pawl.builder(url).responseTimeout(Duration.ofSeconds(10)).build()) {
      Lease kept = a.lock("kept", LONG).acquire();
      Lease lost = a.lock("lost", SHORT).acquire();
      CountDownLatch told = new CountDownLatch(1);
      lost.onLost(told::countDown);
      CompletableFuture<Lease> waiter = b.lock("kept", LONG).acquireAsync(Duration.ofMinutes(3));
      while (a.inspector().find("kept").orElseThrow().waiters().isEmpty()) {
        TimeUnit.MILLISECONDS.sleep(10);
      }

      server.kill();
      assertThatThrownBy(() -> b.lock("other").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThat(told.await(1, TimeUnit.MINUTES)).as("the lost one is told").isTrue();
      assertThat(lost.isHeld()).isFalse();
      server.restart();

      assertThat(kept.isHeld()).isTrue();
      kept.close();
      try (Lease next = waiter.get(3, TimeUnit.MINUTES)) {
        assertThat(next.token()).isGreaterThan(kept.token());
      }
      try (Lease again = b.lock("lost").acquire()) {
        assertThat(again.token()).isGreaterThan(lost.token());
      }
    }
  }

  private static void pause(DatabaseServer server) throws Exception {
    try (Pawl pawl = Pawl.builder(server.url()).responseTimeout(Duration.ofSeconds(5)).build()) {
      pawl.lock("x").acquire().close();
      server.process().pause();
      long started = System.nanoTime();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(30));
      server.process().resume();
      pawl.lock("x").acquire(Duration.ofMinutes(1)).close();
    }
  }
}
