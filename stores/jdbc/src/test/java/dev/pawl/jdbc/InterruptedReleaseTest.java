package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The ordinary end of a job that was interrupted: {@code finally { lease.close(); }}. */
class InterruptedReleaseTest {

  @Test
  void itWaitsForTheOnlyConnectionAndKeepsTheInterrupt() throws Exception {
    ReleaseReply reply = interrupted((store, release) -> store.release(release));
    assertThat(reply).isEqualTo(ReleaseReply.RELEASED);
  }

  /** The release of a node whose next thread has to ask anew. */
  @Test
  void soDoesOneThatAsksAgain() throws Exception {
    Command.Acquire next = Commands.acquire("x", new ClaimId("node", 2));
    AcquireReply reply =
        interrupted((store, release) -> store.yieldGrant(new Command.Yield(release, next)));
    assertThat(reply).isInstanceOf(AcquireReply.Granted.class);
  }

  private interface End<T> {
    CompletionStage<T> of(JdbcStore store, Command.Release release);
  }

  /** Ends a grant in a thread that was interrupted, while others have the only connection. */
  private static <T> T interrupted(End<T> end) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(Databases.PATIENCE.toMillis());
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(pool, Databases.newTables())) {
      Command.Acquire claim = Commands.acquire("x", new ClaimId("node", 1));
      Command.Release release =
          Commands.release(claim, store.acquire(claim).toCompletableFuture().join());

      CompletableFuture<T> ended = new CompletableFuture<>();
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                end.of(store, release)
                    .whenComplete(
                        (reply, e) -> {
                          if (e == null) {
                            ended.complete(reply);
                          } else {
                            ended.completeExceptionally(e);
                          }
                        });
                interrupted.complete(Thread.interrupted());
              });
      try (Connection only = pool.getConnection()) {
        assertThat(only.isClosed()).isFalse();
        thread.start();
        while (pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0 && !ended.isDone()) {
          Thread.onSpinWait();
        }
      }
      assertThat(interrupted).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
      return ended.get(1, TimeUnit.MINUTES);
    }
  }
}
