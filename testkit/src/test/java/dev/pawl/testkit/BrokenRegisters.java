package dev.pawl.testkit;

import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/** Stores whose registers lose, forget or confuse what was written. */
final class BrokenRegisters {

  private BrokenRegisters() {}

  /** A store whose registers are a map that anybody writes to as he likes. */
  private abstract static class Loose extends BendableStore implements Registers {
    final Map<String, Register> written = new ConcurrentHashMap<>();

    final Register now(String key) {
      return written.getOrDefault(key, Register.absent(key));
    }

    @Override
    public Registers registers() {
      return this;
    }

    @Override
    public CompletionStage<Register> read(String key) {
      return CompletableFuture.completedFuture(now(key));
    }

    @Override
    public CompletionStage<List<Register>> list(String prefix, int limit) {
      return CompletableFuture.completedFuture(List.of());
    }

    static CompletionStage<RegisterReply> answer(RegisterReply reply) {
      return CompletableFuture.completedFuture(reply);
    }
  }

  /** The look and the write are two steps. */
  static final class LooksThenWrites extends Loose {
    @Override
    public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
      if (now(seen.key()).version() != seen.version()) {
        return answer(new RegisterReply.Changed(now(seen.key())));
      }
      LockSupport.parkNanos(1_000);
      written.put(seen.key(), seen.next(value));
      return answer(new RegisterReply.Written(seen.next(value)));
    }
  }

  /** What is taken away is deleted, and its version with it. */
  static final class CountsAnewAfterARemoval extends Loose {
    @Override
    public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
      Register before = now(seen.key());
      if (before.version() != seen.version()) {
        return answer(new RegisterReply.Changed(before));
      }
      if (value.isPresent()) {
        written.put(seen.key(), seen.next(value));
      } else {
        written.remove(seen.key());
      }
      return answer(new RegisterReply.Written(seen.next(value)));
    }
  }

  /** Whoever finds the text that he wanted to write is told that he has written it. */
  static final class TakesTheSameTextForOnesOwn extends BendableStore {
    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new Loose() {
        @Override
        public CompletionStage<Register> read(String key) {
          return next.read(key);
        }

        @Override
        public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
          return next.compareAndSet(seen, value)
              .thenApply(
                  reply ->
                      reply.register().value().equals(value)
                          ? new RegisterReply.Written(reply.register())
                          : reply);
        }
      };
    }
  }

  /** Cleans up registers as it does names. */
  static final class ForgetsRegisters extends BendableStore {
    private final Map<String, Long> readAt = new ConcurrentHashMap<>();

    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new Loose() {
        @Override
        public CompletionStage<Register> read(String key) {
          long now = ForgetsRegisters.this.clock.getAsLong();
          return now - readAt.computeIfAbsent(key, first -> now) > 2_000_000
              ? CompletableFuture.completedFuture(Register.absent(key))
              : next.read(key);
        }

        @Override
        public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
          return next.compareAndSet(seen, value);
        }
      };
    }
  }
}
