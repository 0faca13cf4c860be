package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.Capability;

/** What a user gets who asks a store for something it cannot do. */
final class Refusals {

  private Refusals() {}

  /** A typed refusal that says what is missing and where it is found, before any I/O. */
  static void check(StoreCases cases, Capability missing) {
    CountingStore store = new CountingStore(cases.store());
    try (Pawl pawl = Pawl.builder(store).label("refused").build()) {
      store.reset(); // What a node asks when it is made is not what its calls cost.
      String name = cases.name();
      Runnable ask =
          switch (missing) {
            case FAIR -> () -> pawl.lock(name, LockOptions.DEFAULT.withFair(true));
            case SHARED -> () -> pawl.readWriteLock(name);
            case SEMAPHORE -> () -> pawl.semaphore(name, 2);
            case INSPECT -> () -> pawl.inspector().find(name);
            case EVICT -> () -> pawl.inspector().forceRelease(name, 1, "suite", "no reason");
            case MARKS -> () -> pawl.job(name);
            case REGISTERS -> () -> Replies.refused(cases.store().registers().read(name));
          };
      // Without a view for operators there is nobody to release by force.
      Capability said =
          missing == Capability.EVICT && !store.capabilities().contains(Capability.INSPECT)
              ? Capability.INSPECT
              : missing;
      assertThatThrownBy(ask::run)
          .isInstanceOf(UnsupportedByStoreException.class)
          .hasMessageContaining(said.what())
          .hasMessageContaining(said.where());
      assertThat(store.counts()).as("round trips of a refusal").isEmpty();
    }
  }
}
