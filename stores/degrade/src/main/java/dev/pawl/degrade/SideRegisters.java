package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The registers of the backup. */
final class SideRegisters implements Registers {

  private final Side backup;

  /** Whether its calls do not wait for others: a mode lease hangs on them. */
  private final boolean first;

  private final BooleanSupplier closed;

  SideRegisters(Side backup, boolean first, BooleanSupplier closed) {
    this.backup = backup;
    this.first = first;
    this.closed = closed;
  }

  private <T> CompletionStage<T> call(Function<LockStore, CompletionStage<T>> command) {
    if (closed.getAsBoolean()) {
      return CompletableFuture.failedFuture(
          new StoreUnavailableException("the pair of stores is closed", null));
    }
    return first ? backup.now(command) : backup.call(command);
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register.checkKey(key);
    return call(store -> store.registers().read(key));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    if (value.isPresent()) { // Refused at once if it is too long.
      var unused = seen.next(value);
    }
    return call(store -> store.registers().compareAndSet(seen, value));
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return call(store -> store.registers().list(prefix, limit));
  }
}
