package dev.pawl.testkit;

import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Registers that pass everything on to others, each call by way of something. */
final class ForwardingRegisters implements Registers {

  private final Registers next;
  private final Way way;

  ForwardingRegisters(Registers next, Way way) {
    this.next = next;
    this.way = way;
  }

  /** What a call goes through. */
  @FunctionalInterface
  interface Way {
    <R> CompletionStage<R> pass(Supplier<CompletionStage<R>> call);
  }

  @Override
  public CompletionStage<Register> read(String key) {
    Register.checkKey(key);
    return way.pass(() -> next.read(key));
  }

  @Override
  public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
    var unused = seen.next(value); // Throws what is not allowed, before anything is under way.
    return way.pass(() -> next.compareAndSet(seen, value));
  }

  @Override
  public CompletionStage<List<Register>> list(String prefix, int limit) {
    return way.pass(() -> next.list(prefix, limit));
  }
}
