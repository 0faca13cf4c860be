package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.PawlException;
import dev.pawl.engine.threads.Platform;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class PairSignTest {

  private final MemoryStore store = new MemoryStore();

  private void sign(Optional<String> value) {
    Register seen = store.registers().read(PairedStore.SIGN).toCompletableFuture().join();
    store.registers().compareAndSet(seen, value).toCompletableFuture().join();
  }

  private void check() {
    PairSign.check(store, Duration.ofSeconds(3));
  }

  @Test
  void aNodeThatKnowsThePrimaryOfAPairAloneIsRefused() {
    sign(Optional.of("of a pair"));
    assertThatThrownBy(this::check)
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("is the primary of a pair")
        .hasMessageContaining("name both stores");
  }

  @Test
  void aSignThatWasTakenAwayIsNone() {
    assertThatCode(this::check).doesNotThrowAnyException();
    sign(Optional.of("of a pair"));
    sign(Optional.empty());
    assertThatCode(this::check).doesNotThrowAnyException();
  }

  @Test
  void aNodeWhoseStoreTheApplicationOpenedIsWarnedOnceAndLater() {
    Deque<Runnable> scheduled = new ArrayDeque<>();
    PairSign.watch(store, platform(scheduled));
    try (Logged logged = Logged.by(PairSign.class)) {
      scheduled.remove().run();
      assertThat(logged.lines()).isEmpty();
      sign(Optional.of("of a pair"));
      scheduled.remove().run();
      assertThat(logged.lines())
          .singleElement()
          .asString()
          .contains("is the primary of a pair", "name both stores");
      assertThat(scheduled).as("said once").isEmpty();
    }
  }

  private static Platform platform(Deque<Runnable> scheduled) {
    return new Platform(
        System::nanoTime,
        (task, delay) -> {
          scheduled.add(task);
          return () -> {};
        },
        Runnable::run,
        Runnable::run,
        Runnable::run,
        Runnable::run,
        Runnable::run,
        Runnable::run,
        new SplittableRandom(1),
        bug -> {
          throw new AssertionError(bug);
        },
        () -> {});
  }
}
