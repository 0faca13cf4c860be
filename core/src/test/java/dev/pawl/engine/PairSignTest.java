package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.PairedStore;
import dev.pawl.spi.Register;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PairSignTest {

  private final MemoryStore store = new MemoryStore();

  private void sign(Optional<String> value) {
    Register seen = store.registers().read(PairedStore.SIGN).toCompletableFuture().join();
    store.registers().compareAndSet(seen, value).toCompletableFuture().join();
  }

  @Test
  void aNodeThatKnowsThePrimaryOfAPairAloneIsRefused() {
    sign(Optional.of("of a pair"));
    assertThatThrownBy(() -> Pawl.builder(store).build())
        .isInstanceOf(PawlException.class)
        .hasMessageContaining("is the primary of a pair")
        .hasMessageContaining("name both stores");
  }

  @Test
  void lookingAtItIsNotRefused() {
    sign(Optional.of("of a pair"));
    try (Pawl pawl = Pawl.builder(store).existingStore().build()) {
      assertThat(pawl.inspector().list("", 10)).isEmpty();
    }
  }

  @Test
  void aSignThatWasTakenAwayIsNone() throws Exception {
    sign(Optional.of("of a pair"));
    sign(Optional.empty());
    try (Pawl pawl = Pawl.builder(store).build()) {
      pawl.lock("x").acquire().close();
    }
  }
}
