package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SameFileTest {

  @TempDir Path directory;

  @Test
  void aLeaseInAFileThatWasDeletedIsLost() throws Exception {
    Path file = directory.resolve("locks.db");
    LockOptions brief = LockOptions.DEFAULT.withLease(Duration.ofSeconds(2));
    try (Pawl pawl = Pawl.connect("sqlite:" + file)) {
      Lease lease = pawl.lock("x", brief).acquire();
      CountDownLatch lost = new CountDownLatch(1);
      lease.onLost(lost::countDown);
      for (String each : new String[] {"", "-wal", "-shm"}) {
        Files.deleteIfExists(Path.of(file + each));
      }
      try (Pawl other = Pawl.connect("sqlite:" + file)) {
        assertThat(lost.await(1, TimeUnit.MINUTES)).as("it is lost").isTrue();
        // From then on both are in the new file.
        try (Lease theirs = other.lock("x").acquire()) {
          assertThat(pawl.lock("x").tryAcquire()).isEmpty();
          assertThat(theirs.token()).isGreaterThan(lease.token());
        }
      }
    }
  }
}
