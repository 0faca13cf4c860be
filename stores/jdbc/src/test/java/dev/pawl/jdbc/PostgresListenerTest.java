package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import dev.pawl.testservers.Measurement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class PostgresListenerTest {

  private final CountingDataSource source = new CountingDataSource();
  private JdbcStore holding;
  private JdbcStore waiting;
  private long claims;

  @Test
  void whatTheFirstLookHasToldIsNotToldAgain() throws Exception {
    // A waiter that nobody renews lives for two seconds, which may pass between two commands.
    Measurement.inOneOfFive(
        () -> {
          JdbcOptions options = Databases.newTables();
          DataSource server =
              UrlDataSource.of(Databases.postgres(), SqlDatabase.POSTGRESQL, options);
          try (JdbcStore one = JdbcStore.open(server, options);
              JdbcStore other = JdbcStore.open(source.of(server), options)) {
            holding = one;
            waiting = other;
            handOverTwice();
          }
        });
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
