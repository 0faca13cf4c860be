package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JournalEntry;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** H2 in the modes in which it reads SQL like another database. */
class H2ModesTest {

  @ParameterizedTest
  @CsvSource({
    "MODE=LEGACY, LEASE_RECORD",
    "MODE=DB2, LEASE_RECORD",
    "MODE=Derby, LEASE_RECORD",
    "MODE=HSQLDB, LEASE_RECORD",
    "MODE=MSSQLServer, LEASE_RECORD",
    "MODE=MSSQLServer, ROW_LOCK",
    "MODE=MariaDB, LEASE_RECORD",
    "MODE=MySQL;DATABASE_TO_LOWER=TRUE, LEASE_RECORD",
    "MODE=Oracle, LEASE_RECORD",
    "MODE=Oracle, UNIQUE_KEY",
    "MODE=Oracle, ROW_LOCK",
    "MODE=PostgreSQL;DATABASE_TO_LOWER=TRUE, LEASE_RECORD",
    "MODE=STRICT, LEASE_RECORD"
  })
  void everythingIsUnderstood(String mode, JdbcStrategy strategy) {
    JdbcOptions options =
        Databases.newTables().withStrategy(strategy).withRetention(Duration.ofSeconds(1));
    try (JdbcStore store = JdbcStore.open(Databases.h2() + ";" + mode, options)) {
      Command.Acquire claim = Commands.acquire("x", new ClaimId("node", 1));
      AcquireReply held = store.acquire(claim).toCompletableFuture().join();
      assertThat(store.list(Listing.all("", 10)).toCompletableFuture().join()).hasSize(1);
      store.release(Commands.release(claim, held)).toCompletableFuture().join();

      Journal journal = store.journal();
      for (int i = 0; i < 100; i++) { // As many as it takes to look for what is too much.
        journal
            .append(JournalEntry.Kind.JOB_RUN, "x", i, "node", Map.of())
            .toCompletableFuture()
            .join();
      }
      assertThat(journal.read("x", 1).toCompletableFuture().join()).hasSize(1);

      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (store.find("x").toCompletableFuture().join().isPresent()) {
        assertThat(System.nanoTime()).as("it is not cleaned up").isLessThan(end);
        LockSupport.parkNanos(20_000_000);
      }
    }
  }
}
