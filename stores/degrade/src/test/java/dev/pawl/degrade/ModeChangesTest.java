package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockEvent;
import dev.pawl.Pawl;
import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who hears of a change of the mode, and what is done at one. */
@Timeout(60)
class ModeChangesTest {

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static void move(PairStore pair, Mode to) {
    pair.status()
        .thenCompose(seen -> pair.move(seen, to, "alice", "a trial"))
        .toCompletableFuture()
        .join();
    await(() -> pair.mode().equals(Optional.of(to.name().toLowerCase(Locale.ROOT))));
  }

  @Test
  void listenersAreToldOfEachChangeAndWhy() throws Exception {
    BlockingQueue<LockEvent.ModeChanged> heard = new LinkedBlockingQueue<>();
    try (PairStore pair =
            PairStore.open(new MemoryStore(), new MemoryStore(), PairOptions.DEFAULT);
        Pawl pawl = Pawl.builder(pair).build()) {
      Runnable end =
          pawl.listen(
              event -> {
                if (event instanceof LockEvent.ModeChanged change) {
                  heard.add(change);
                }
              });
      move(pair, Mode.BACKUP);
      move(pair, Mode.PRIMARY);
      for (String mode : new String[] {"leaving", "backup", "returning", "primary"}) {
        LockEvent.ModeChanged change = heard.take();
        assertThat(change.mode()).isEqualTo(mode);
        assertThat(change.name()).isEqualTo("pawl:pair");
        assertThat(change.reason()).isNotBlank();
      }
      end.run();
    }
  }

  private static Register read(MemoryStore store, String key) {
    return store.registers().read(key).toCompletableFuture().join();
  }

  private static void erase(MemoryStore store, String key) {
    store
        .registers()
        .compareAndSet(read(store, key), Optional.empty())
        .toCompletableFuture()
        .join();
  }

  @Test
  void aPrimaryThatIsBackWithoutItsDataGetsItsIdAndTheSignAgain() {
    MemoryStore primary = new MemoryStore();
    try (PairStore pair =
        PairStore.open(new Shared(primary), new MemoryStore(), PairOptions.DEFAULT)) {
      Register id = read(primary, "pawl:identity");
      assertThat(id.value()).isPresent();
      move(pair, Mode.BACKUP);
      erase(primary, PairedStore.SIGN);
      erase(primary, "pawl:identity");
      move(pair, Mode.PRIMARY);
      await(() -> read(primary, PairedStore.SIGN).value().isPresent());
      assertThat(read(primary, "pawl:identity").value()).isEqualTo(id.value());
    }
  }
}
