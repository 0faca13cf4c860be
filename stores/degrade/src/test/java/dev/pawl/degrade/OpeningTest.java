package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AbsentStore;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.LockStore.Subscription;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Which stores a node may open as a pair, and what it knows of a primary that is down. */
@Timeout(60)
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

  /** A store in which nothing was created yet. */
  private static LockStore absent() {
    return new AbsentStore("nothing yet") {
      @Override
      public CompletionStage<Long> nowMicros() {
        return CompletableFuture.completedFuture(0L);
      }

      @Override
      public CompletionStage<List<Finding>> examine() {
        return CompletableFuture.completedFuture(List.of());
      }

      @Override
      public void close() {}
    };
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      assertThat(Thread.interrupted()).as("time-out").isFalse();
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static boolean isHeld(LockStore store, String name) {
    return store
        .find(name)
        .toCompletableFuture()
        .handle((found, error) -> error == null && found.isPresent())
        .join();
  }

  @Test
  void whoLooksWhileThePrimaryIsDownSeesItWhenItIsThere() throws Exception {
    LockStore primary = new CutOffStore(new MemoryStore());
    AtomicBoolean there = new AtomicBoolean();
    try (PairStore node = PairStore.open(primary, backup, PairOptions.DEFAULT);
        Pawl pawl = Pawl.builder(node).build();
        Lease lease = pawl.lock("x").acquire();
        PairStore looks =
            Joining.look(() -> there.get() ? primary : down(), backup, PairOptions.DEFAULT)) {
      assertThat(isHeld(looks, "x")).isFalse();
      there.set(true);
      await(() -> isHeld(looks, "x"));
      assertThat(lease.isHeld()).isTrue();
      assertThat(node.status().toCompletableFuture().join().nodes()).hasSize(1);
    }
  }

  @Test
  void whoLooksBeforeThereIsAPairFollowsItFromItsFirstUse() {
    LockStore primary = new CutOffStore(new MemoryStore());
    AtomicBoolean there = new AtomicBoolean();
    try (PairStore looks =
        Joining.look(
            () -> there.get() ? primary : absent(),
            () -> there.get() ? backup : absent(),
            PairOptions.DEFAULT)) {
      assertThat(looks.mode()).contains("primary");
      try (PairStore node = PairStore.open(primary, backup, PairOptions.DEFAULT)) {
        there.set(true);
        node.status()
            .thenCompose(seen -> node.move(seen, PairStatus.Mode.BACKUP, "alice", "a test"))
            .toCompletableFuture()
            .join();
        await(() -> node.mode().equals(Optional.of("backup")));
        await(() -> looks.status().toCompletableFuture().join().mode() == PairStatus.Mode.BACKUP);
      }
    }
  }

  @Test
  void aNodeThatFindsNoThreadToReachThePrimaryTriesAgain() {
    LockStore primary = new CutOffStore(new MemoryStore());
    PairStore.open(primary, backup, PairOptions.DEFAULT).close();
    AtomicInteger tries = new AtomicInteger();
    Supplier<LockStore> opener =
        () ->
            switch (tries.getAndIncrement()) {
              case 0 -> down();
              case 1 -> throw new OutOfMemoryError("unable to create native thread");
              default -> primary;
            };
    try (PairStore node = Joining.open(opener, backup, PairOptions.DEFAULT)) {
      await(() -> node.state().primary.store() != null);
      assertThat(tries).hasValue(3);
    }
  }

  @Test
  void aPrimaryIsListenedToForAllWhoListenOrForNone() {
    LockStore primary = new CutOffStore(new MemoryStore());
    PairStore.open(primary, backup, PairOptions.DEFAULT).close();
    AtomicInteger asked = new AtomicInteger();
    AtomicInteger open = new AtomicInteger();
    LockStore counting =
        new ForwardingStore(primary) {
          @Override
          public Subscription subscribe(String node, Consumer<Signal> listener) {
            if (asked.incrementAndGet() == 2) {
              throw new OutOfMemoryError("unable to create native thread");
            }
            Subscription real = super.subscribe(node, listener);
            open.incrementAndGet();
            return () -> {
              open.decrementAndGet();
              real.close();
            };
          }
        };
    AtomicBoolean there = new AtomicBoolean();
    try (PairStore pair =
            Joining.open(() -> there.get() ? counting : down(), backup, PairOptions.DEFAULT);
        Subscription first = pair.subscribe("first", signal -> {});
        Subscription second = pair.subscribe("second", signal -> {})) {
      assertThat(first).isNotSameAs(second);
      there.set(true);
      await(() -> pair.state().primary.store() != null);
      assertThat(asked).hasValue(4);
      assertThat(open).hasValue(2);
    }
    assertThat(open).hasValue(0);
  }

  @Test
  void aNodeThatBeginsToListenWhileThePrimaryIsBeingOpenedHearsItOnce() {
    LockStore primary = new CutOffStore(new MemoryStore());
    PairStore.open(primary, backup, PairOptions.DEFAULT).close();
    AtomicBoolean there = new AtomicBoolean();
    Queue<String> asked = new ConcurrentLinkedQueue<>();
    Set<String> heard = ConcurrentHashMap.newKeySet();
    PairStore[] opened = new PairStore[1];
    LockStore slow =
        new ForwardingStore(primary) {
          @Override
          public Subscription subscribe(String node, Consumer<Signal> listener) {
            asked.add(node);
            if (node.equals("first")) {
              opened[0].subscribe("second", signal -> {});
            }
            heard.add(node);
            Subscription real = super.subscribe(node, listener);
            return () -> {
              heard.remove(node);
              real.close();
            };
          }
        };
    try (PairStore pair =
        Joining.open(() -> there.get() ? slow : down(), backup, PairOptions.DEFAULT)) {
      opened[0] = pair;
      Subscription first = pair.subscribe("first", signal -> {});
      there.set(true);
      await(() -> heard.size() == 2);
      assertThat(asked).containsExactly("first", "second");
      first.close();
      // Whoever made a subscription that has ended meanwhile ends it there.
      await(() -> heard.equals(Set.of("second")));
    }
    await(heard::isEmpty);
  }

  @Test
  void aPrimaryThatComesWhenTheNodeIsClosedIsClosedToo() throws Exception {
    LockStore primary = new CutOffStore(new MemoryStore());
    PairStore.open(primary, backup, PairOptions.DEFAULT).close();
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    LockStore late =
        new ForwardingStore(primary) {
          @Override
          public void close() {
            closed.countDown();
          }
        };
    AtomicInteger tries = new AtomicInteger();
    Supplier<LockStore> opener =
        () -> {
          if (tries.getAndIncrement() == 0) {
            return down();
          }
          opening.countDown();
          await(() -> goOn.getCount() == 0);
          return late;
        };
    try (PairStore node = Joining.open(opener, backup, PairOptions.DEFAULT)) {
      assertThat(node.mode()).contains("primary");
      opening.await();
    }
    goOn.countDown();
    closed.await();
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
