package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Signal;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PostgresListenerTest {

  private final JdbcOptions options = JdbcOptions.DEFAULT.withPrefix(Databases.prefix());
  private final CountingDataSource source = new CountingDataSource();
  private final BlockingQueue<Signal> heard = new LinkedBlockingQueue<>();
  private JdbcStore holding;
  private JdbcStore waiting;
  private long claims;

  @BeforeEach
  void open() {
    UrlDataSource server = UrlDataSource.of(Databases.postgres(), SqlDatabase.POSTGRESQL, options);
    holding = JdbcStore.open(server, options);
    waiting = JdbcStore.open(source.of(server), options);
    waiting.subscribe("waiting", heard::add);
  }

  @AfterEach
  void close() {
    waiting.close();
    holding.close();
  }

  @Test
  void whatTheFirstLookHasToldIsNotToldAgain() throws Exception {
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
    assertThat(next()).isEqualTo(first);

    // A second hand-over stands for the time in which a second notification would have come.
    Command.Release second = take("second");
    ClaimId last = queue("second");
    holding.release(second).toCompletableFuture().join();
    assertThat(next()).isEqualTo(last);
  }

  private ClaimId next() throws InterruptedException {
    Signal signal = heard.poll(30, TimeUnit.SECONDS);
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
