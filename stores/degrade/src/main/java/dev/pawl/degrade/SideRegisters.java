package dev.pawl.degrade;

import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The registers of the backup. */
final class SideRegisters implements Registers {

  private final Side backup;

  /** Whether its calls do not wait for others: a mode lease hangs on them. */
  private final boolean first;

  SideRegisters(Side backup, boolean first) {
    this.backup = backup;
    this.first = first;
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register.checkKey(key);
    return first
        ? backup.now(store -> store.registers().read(key))
        : backup.call(store -> store.registers().read(key));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    if (value.isPresent()) { // Refused at once if it is too long.
      var unused = seen.next(value);
    }
    return first
        ? backup.now(store -> store.registers().compareAndSet(seen, value))
        : backup.call(store -> store.registers().compareAndSet(seen, value));
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return backup.call(store -> store.registers().list(prefix, limit));
  }
}
