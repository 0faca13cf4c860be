package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.PawlException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import java.time.Duration;
import java.util.Optional;
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
}
