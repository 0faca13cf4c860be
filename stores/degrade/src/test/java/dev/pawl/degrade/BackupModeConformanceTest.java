package dev.pawl.degrade;

import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.testkit.StoreConformance;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** The pair behaves as every store does, while the backup has the locks. */
class BackupModeConformanceTest extends StoreConformance {

  private final LockStore primary = new MemoryStore();
  private final LockStore backup = new MemoryStore();

  @Override
  protected LockStore open() {
    PairStore pair = PairStore.open(new Shared(primary), new Shared(backup), PairOptions.DEFAULT);
    PairStatus status = pair.status().toCompletableFuture().join();
    if (status.mode() == PairStatus.Mode.PRIMARY) {
      var unused =
          pair.move(status, PairStatus.Mode.BACKUP, "test", "conformance")
              .toCompletableFuture()
              .join();
    }
    while (pair.status().toCompletableFuture().join().mode() != PairStatus.Mode.BACKUP) {
      LockSupport.parkNanos(1_000_000);
    }
    return pair;
  }

  /** A node counts on from when it has read the clock, which it knows to half a round trip. */
  @Override
  protected Duration clockTolerance() {
    return Duration.ofSeconds(2);
  }
}
