package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.testservers.MariaDbServer;
import dev.pawl.testservers.PostgresServer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A server that is killed, stays away, is paused and comes back. */
class RestartTest {

  private static final LockOptions LONG = LockOptions.DEFAULT.withLease(Duration.ofMinutes(3));
  private static final LockOptions SHORT = LockOptions.DEFAULT.withLease(Duration.ofSeconds(1));

  @Test
  void postgresIsKilledAndComesBack() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      outage(server.url(), server::kill, server::restart);
      pause(server.url(), server.process()::pause, server.process()::resume);
    }
  }

  @Test
  void mariaDbIsKilledAndComesBack() throws Exception {
    try (MariaDbServer server = MariaDbServer.start()) {
      outage(server.url(), server::kill, server::restart);
      pause(server.url(), server.process()::pause, server.process()::resume);
    }
  }

  private static void outage(String url, Runnable kill, Runnable restart) throws Exception {
    // A killed server takes its time to recover: waiters bear ten times the response time-out.
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

      kill.run();
      assertThatThrownBy(() -> b.lock("other").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThat(told.await(30, TimeUnit.SECONDS)).as("the lost one is told").isTrue();
      assertThat(lost.isHeld()).isFalse();
      restart.run();

      assertThat(kept.isHeld()).isTrue();
      kept.close();
      try (Lease next = waiter.get(60, TimeUnit.SECONDS)) {
        assertThat(next.token()).isGreaterThan(kept.token());
      }
      try (Lease again = b.lock("lost").acquire()) {
        assertThat(again.token()).isGreaterThan(lost.token());
      }
    }
  }

  private static void pause(String url, Runnable pause, Runnable resume) throws Exception {
    try (Pawl pawl = Pawl.connect(url)) {
      pawl.lock("x").acquire().close();
      pause.run();
      long started = System.nanoTime();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOfAny(StoreUnavailableException.class, OutcomeUnknownException.class);
      assertThat(Duration.ofNanos(System.nanoTime() - started)).isLessThan(Duration.ofSeconds(15));
      resume.run();
      pawl.lock("x").acquire(Duration.ofSeconds(30)).close();
    }
  }
}
