package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.sql.Connection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls in threads that are interrupted, while others have the only connection. */
class InterruptedCallTest {

  private final Command.Acquire first = Commands.acquire("x", new ClaimId("node", 1));
  private final Command.Acquire next = Commands.acquire("x", new ClaimId("node", 2));
  private HikariDataSource pool;
  private JdbcStore store;

  @BeforeEach
  void open() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(Databases.PATIENCE.toMillis());
    pool = new HikariDataSource(config);
    store = JdbcStore.open(pool, Databases.newTables());
  }

  @AfterEach
  void close() {
    store.close();
    pool.close();
  }

  /** The ordinary end of a job that was interrupted: {@code finally { lease.close(); }}. */
  @Test
  void aReleaseWaitsForTheConnectionAndKeepsTheInterrupt() throws Exception {
    Command.Release release = held();
    ReleaseReply reply = interruptedBefore(store -> store.release(release));
    assertThat(reply).isEqualTo(ReleaseReply.RELEASED);
  }

  /** The release of a node whose next thread has to ask anew. */
  @Test
  void soDoesOneThatAsksAgain() throws Exception {
    Command.Yield yield = new Command.Yield(held(), next);
    AcquireReply reply = interruptedBefore(store -> store.yieldGrant(yield));
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
  }

  /** Others may stand in line behind it, and would fail with it. */
  @Test
  void soDoesAnAcquire() throws Exception {
    AcquireReply reply = interruptedBefore(store -> store.acquire(first));
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
  }

  @Test
  void soDoesOneThatIsInterruptedWhileItWaits() throws Exception {
    FutureTask<AcquireReply> call;
    try (Connection only = pool.getConnection()) {
      assertThat(only.isClosed()).isFalse();
      Caller<AcquireReply> caller = new Caller<>(store -> store.acquire(first), false);
      call = caller.task;
      awaitWaiting(call);
      caller.thread.interrupt();
      caller.thread.join(100); // Nothing is to happen.
      assertThat(call.isDone()).isFalse();
    }
    assertThat(call.get(1, TimeUnit.MINUTES)).isInstanceOf(AcquireReply.Granted.class);
  }

  private interface Call<T> {
    CompletionStage<T> of(JdbcStore store);
  }

  private Command.Release held() {
    return Commands.release(first, store.acquire(first).toCompletableFuture().join());
  }

  private <T> T interruptedBefore(Call<T> call) throws Exception {
    FutureTask<T> task;
    try (Connection only = pool.getConnection()) {
      assertThat(only.isClosed()).isFalse();
      task = new Caller<>(call, true).task;
      awaitWaiting(task);
    }
    return task.get(1, TimeUnit.MINUTES);
  }

  private void awaitWaiting(FutureTask<?> call) {
    while (pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0 && !call.isDone()) {
      Thread.onSpinWait();
    }
  }

  /** A thread that makes one call, and is still interrupted afterwards. */
  private final class Caller<T> {
    final FutureTask<T> task;
    final Thread thread;

    Caller(Call<T> call, boolean interruptedBefore) {
      task =
          new FutureTask<>(
              () -> {
                if (interruptedBefore) {
                  Thread.currentThread().interrupt();
                }
                T reply = call.of(store).toCompletableFuture().join();
                assertThat(Thread.interrupted()).isTrue();
                return reply;
              });
      thread = new Thread(task);
      thread.start();
    }
  }
}
