package dev.pawl.spi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockInfo;
import dev.pawl.memory.MemoryStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The clock of a store that does not say how to read it: by way of a claim. */
class StoreClockTest {

  private final AtomicLong clock = new AtomicLong(1_700_000_000_000_000L);
  private final MemoryStore memory = new MemoryStore(clock::get);
  private final LockStore store = withTheDefault(memory);

  /** The store with the interface's own {@code nowMicros()} instead of its own. */
  private static LockStore withTheDefault(LockStore real) {
    return (LockStore)
        Proxy.newProxyInstance(
            LockStore.class.getClassLoader(),
            new Class<?>[] {LockStore.class},
            (proxy, method, args) ->
                method.getName().equals("nowMicros")
                    ? InvocationHandler.invokeDefault(proxy, method, args)
                    : method.invoke(real, args));
  }

  private static long read(LockStore from) {
    return from.nowMicros().toCompletableFuture().join();
  }

  private List<LockInfo.Holder> holders() {
    return memory.find("pawl:clock").toCompletableFuture().join().stream()
        .flatMap(info -> info.holders().stream())
        .toList();
  }

  @Test
  void itShowsWhatTheStoresClockShows() {
    assertThat(read(store)).isEqualTo(clock.get());
    clock.addAndGet(1_234_567);
    assertThat(read(store)).isEqualTo(clock.get()).isEqualTo(read(memory));
  }

  @Test
  void readingItHoldsNothing() {
    long unused = read(store);
    assertThat(holders()).isEmpty();
  }

  @Test
  void itIsReadThoughAnotherReaderHoldsTheName() {
    ClaimId other = new ClaimId("other", 1);
    memory
        .acquire(
            new Command.Acquire(
                "pawl:clock",
                other,
                Command.EVERYTHING,
                Command.EVERYTHING,
                1_000_000,
                1,
                OptionalLong.empty(),
                false,
                false,
                "other",
                ""))
        .toCompletableFuture()
        .join();
    clock.addAndGet(500_000);

    assertThat(read(store)).isEqualTo(clock.get());
    assertThat(holders()).extracting(LockInfo.Holder::claim).containsExactly(other.toString());
  }

  @Test
  void aStoreThatCannotBeReachedHasNoTime() {
    memory.close();
    assertThat(store.nowMicros().toCompletableFuture()).isCompletedExceptionally();
  }
}
