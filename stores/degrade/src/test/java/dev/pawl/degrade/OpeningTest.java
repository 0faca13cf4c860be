package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.ForwardingStore;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which stores a node may open as a pair, and what it knows of a primary that is down. */
class OpeningTest {

  /** A primary that has no jobs, as a Redlock. */
  private static final class WithoutMarks extends ForwardingStore {
    WithoutMarks() {
      super(new MemoryStore());
    }

    @Override
    public String describe() {
      return "redlock://three";
    }

    @Override
    public Set<Capability> capabilities() {
      return EnumSet.complementOf(EnumSet.of(Capability.MARKS, Capability.SEMAPHORE));
    }
  }

  /** It outlives the nodes. */
  private final LockStore backup = new CutOffStore(new MemoryStore());

  private static LockStore down() {
    throw new StoreUnavailableException("connection refused", null);
  }

  @Test
  void itPromisesNoMoreThanThePairCanAndKnowsThePrimaryByItsAddress() {
    Set<Capability> both;
    try (PairStore first = PairStore.open(new WithoutMarks(), backup, PairOptions.DEFAULT)) {
      both = first.capabilities();
      assertThat(both).doesNotContain(Capability.MARKS, Capability.SEMAPHORE);
    }
    try (PairStore later = Joining.open(OpeningTest::down, backup, PairOptions.DEFAULT)) {
      assertThat(later.capabilities()).isEqualTo(both);
      assertThat(later.describe()).startsWith("redlock://three | ");
    }
    try (PairStore looking = Joining.look(OpeningTest::down, backup, PairOptions.DEFAULT)) {
      assertThat(looking.capabilities()).isEqualTo(both);
    }
  }

  @Test
  void thePairThatWasNeverUsedNeedsItsPrimaryOnce() {
    assertThatThrownBy(() -> Joining.open(OpeningTest::down, backup, PairOptions.DEFAULT))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("start it once with both stores there");
  }

  @Test
  void theTwoStoresInTheOtherOrderAreRefused() {
    LockStore primary = new CutOffStore(new MemoryStore());
    try (PairStore pair = PairStore.open(primary, backup, PairOptions.DEFAULT)) {
      assertThat(pair.mode()).contains("primary");
      assertThatThrownBy(() -> PairStore.open(backup, primary, PairOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("in the same order");
    }
  }
}
