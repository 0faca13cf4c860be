package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The ordinary end of a job that was interrupted: {@code finally { lease.close(); }}. */
class InterruptedReleaseTest {

  @Test
  void itWaitsForTheOnlyConnectionAndKeepsTheInterrupt() throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(Databases.h2());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(Databases.PATIENCE.toMillis());
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(pool, Databases.newTables())) {
      Command.Acquire claim = Commands.acquire("x", new ClaimId("node", 1));
      Command.Release release =
          Commands.release(claim, store.acquire(claim).toCompletableFuture().join());

      CompletableFuture<ReleaseReply> released = new CompletableFuture<>();
      CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                Thread.currentThread().interrupt();
                store
                    .release(release)
                    .whenComplete(
                        (reply, e) -> {
                          if (e == null) {
                            released.complete(reply);
                          } else {
                            released.completeExceptionally(e);
                          }
                        });
                interrupted.complete(Thread.interrupted());
              });
      try (Connection only = pool.getConnection()) {
        assertThat(only.isClosed()).isFalse();
        thread.start();
        while (pool.getHikariPoolMXBean().getThreadsAwaitingConnection() == 0
            && !released.isDone()) {
          Thread.onSpinWait();
        }
      }
      assertThat(released).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(ReleaseReply.RELEASED);
      assertThat(interrupted).succeedsWithin(Duration.ofMinutes(1)).isEqualTo(true);
    }
  }
}
