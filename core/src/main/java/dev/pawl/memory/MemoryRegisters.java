package dev.pawl.memory;

import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** Registers in memory. */
final class MemoryRegisters implements Registers {

  private final ConcurrentMap<String, Register> written = new ConcurrentHashMap<>();
  private volatile boolean closed;

  @Override
  public CompletionStage<Register> read(String key) {
    Register absent = Register.absent(key);
    return closed
        ? MemoryStore.refusal()
        : CompletableFuture.completedFuture(written.getOrDefault(key, absent));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    Register next = seen.next(value);
    if (closed) {
      return MemoryStore.refusal();
    }
    @Nullable Register before = written.get(seen.key());
    boolean done =
        before == null
            ? seen.version() == 0 && written.putIfAbsent(seen.key(), next) == null
            : before.version() == seen.version() && written.replace(seen.key(), before, next);
    return done
        ? CompletableFuture.completedFuture(new RegisterReply.Written(next))
        : read(seen.key()).thenApply(RegisterReply.Changed::new);
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return closed
        ? MemoryStore.refusal()
        : CompletableFuture.completedFuture(
            written.values().stream()
                .filter(each -> each.value().isPresent() && each.key().startsWith(prefix))
                .sorted(Comparator.comparing(Register::key, ByteOrder.OF_NAMES))
                .limit(limit)
                .toList());
  }

  void close() {
    closed = true;
    written.clear();
  }
}
