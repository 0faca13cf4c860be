package dev.pawl.degrade;

import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.ForwardingStore;
import dev.pawl.testkit.StoreConformance;
import java.time.Duration;

/** The pair behaves as every store does, while the primary has the locks. */
class PrimaryModeConformanceTest extends StoreConformance {

  private final LockStore primary = new MemoryStore();
  private final LockStore backup = new MemoryStore();

  @Override
  protected LockStore open() {
    return PairStore.open(new Shared(primary), new Shared(backup), PairOptions.DEFAULT);
  }

  /** A node counts on from when it has read the clock, which it knows to half a round trip. */
  @Override
  protected Duration clockTolerance() {
    return Duration.ofSeconds(2);
  }

  /** Outlives the pairs that use it. */
  static final class Shared extends ForwardingStore {
    Shared(LockStore store) {
      super(store);
    }

    @Override
    public void close() {}
  }
}
