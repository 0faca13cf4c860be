package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.jdbc.strategy.Upkeep;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * A store that is closed interrupts no thread of its own in the middle of a statement: where H2 is
 * part of the application, that would close the database for all of it.
 */
class ClosingTest {

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch closed = new CountDownLatch(1);
  private final CompletableFuture<Boolean> interrupted = new CompletableFuture<>();

  /** Stands for a statement that takes until the store is closed. */
  private void statement() {
    begun.countDown();
    boolean wasInterrupted = false;
    while (closed.getCount() > 0) {
      try {
        closed.await();
      } catch (InterruptedException e) {
        wasInterrupted = true;
      }
    }
    interrupted.complete(wasInterrupted || Thread.interrupted());
  }

  @Test
  void aPollIsNotInterrupted() throws Exception {
    JdbcOptions options = Databases.newTables();
    CountingDataSource source = new CountingDataSource();
    source.prepared =
        (connection, sql) -> {
          if (Thread.currentThread().getName().equals("pawl-jdbc") && !interrupted.isDone()) {
            statement();
          }
        };
    try (JdbcStore store =
        JdbcStore.open(
            source.of(Databases.source(Databases.h2(), SqlDatabase.H2, options)), options)) {
      store.subscribe("waiting", signal -> {});
      store.acquire(Commands.acquire("x", new ClaimId("holding", 1))).toCompletableFuture().join();
      assertThat(
              store
                  .acquire(Commands.acquire("x", new ClaimId("waiting", 1)))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(AcquireReply.Queued.class);
      assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    }
    closed.countDown();
    assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
  }

  @Test
  void aCleanUpIsNotInterrupted() throws Exception {
    try (Upkeep upkeep =
        new Upkeep(
            after -> {
              statement();
              return Optional.empty();
            },
            Duration.ofSeconds(1))) {
      upkeep.onFailure();
      assertThat(begun.await(1, TimeUnit.MINUTES)).isTrue();
    }
    closed.countDown();
    assertThat(interrupted.get(1, TimeUnit.MINUTES)).isFalse();
  }
}
