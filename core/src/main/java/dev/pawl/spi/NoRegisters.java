package dev.pawl.spi;

import dev.pawl.UnsupportedByStoreException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The registers of a store that has none. */
final class NoRegisters implements Registers {

  private final LockStore store;

  NoRegisters(LockStore store) {
    this.store = store;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    return refusal();
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    return refusal();
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return refusal();
  }

  private <T> CompletionStage<T> refusal() {
    return CompletableFuture.failedStage(
        new UnsupportedByStoreException(
            store.describe()
                + " cannot do "
                + Capability.REGISTERS.what()
                + "; these can: "
                + Capability.REGISTERS.where()));
  }
}
