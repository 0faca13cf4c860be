package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileWatchTest {

  @TempDir Path directory;

  private Path file() {
    return directory.resolve("locks.db");
  }

  @Test
  void aStoreThatIsClosedLeavesNoFileOpen() throws Exception {
    try (JdbcStore store = JdbcStore.open("jdbc:sqlite:" + file())) {
      store.subscribe("node", signal -> {});
      store.acquire(Commands.acquire("x", new ClaimId("other", 1))).toCompletableFuture().join();
      assertThat(
              store
                  .acquire(Commands.acquire("x", new ClaimId("node", 1)))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(AcquireReply.Queued.class);
      awaitOpen(2); // The one of the pool, and the one that looks for changes.
    }
    awaitOpen(0);
  }

  private void awaitOpen(long times) throws IOException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (timesOpen() != times) {
      assertThat(System.nanoTime()).as("open %d times", timesOpen()).isLessThan(end);
      LockSupport.parkNanos(5_000_000);
    }
  }

  /** How often this process has the file open, as Linux says. */
  private long timesOpen() throws IOException {
    Path real = file().toRealPath();
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.filter(each -> real.equals(target(each))).count();
    }
  }

  private static Path target(Path link) {
    try {
      return Files.readSymbolicLink(link);
    } catch (IOException e) {
      return link; // Closed meanwhile.
    }
  }

  @Test
  void aDataSourceWithOneConnectionIsEnoughToWait() throws Exception {
    try (HikariDataSource one = pool();
        HikariDataSource other = pool();
        JdbcStore holding = JdbcStore.open(one, JdbcOptions.DEFAULT);
        JdbcStore waiting = JdbcStore.open(other, JdbcOptions.DEFAULT);
        Pawl holder = Pawl.builder(holding).responseTimeout(Databases.PATIENCE).build();
        Pawl waiter = Pawl.builder(waiting).responseTimeout(Databases.PATIENCE).build()) {
      Lease held = holder.lock("x").acquire();
      CompletableFuture<Lease> next = waiter.lock("x").acquireAsync(Duration.ofMinutes(1));
      while (holder.inspector().find("x").orElseThrow().waiters().isEmpty()) {
        LockSupport.parkNanos(5_000_000);
      }
      held.close();
      next.get(1, TimeUnit.MINUTES).close();
    }
  }

  private HikariDataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl("jdbc:sqlite:" + file());
    config.setMaximumPoolSize(1);
    return new HikariDataSource(config);
  }
}
