package dev.pawl.testkit;

import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.LockStore;
import java.time.Duration;

/** The reference store passes the suite; here, because core cannot depend on it. */
class MemoryStoreConformanceTest extends StoreConformance {

  private final SkippingClock clock = new SkippingClock();
  private final MemoryStore store = new MemoryStore(clock);

  @Override
  protected LockStore open() {
    return store;
  }

  @Override
  protected void pass(Duration duration) {
    clock.skip(duration);
  }

  @Override
  protected long leftovers(LockStore opened, String prefix) {
    return store.size();
  }
}
