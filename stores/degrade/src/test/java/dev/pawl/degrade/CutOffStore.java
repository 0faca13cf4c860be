package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.testkit.ForwardingStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** One node's way to a store, which outlives it: it can be cut off, and acquires held back. */
final class CutOffStore extends ForwardingStore {

  volatile boolean away;

  /** Acquires are answered when this is done. */
  volatile CompletableFuture<Void> gate = CompletableFuture.completedFuture(null);

  CutOffStore(LockStore store) {
    super(store);
  }

  private <T> CompletionStage<T> call(Supplier<CompletionStage<T>> next) {
    return away
        ? CompletableFuture.failedFuture(new StoreUnavailableException("cut off", null))
        : next.get();
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return gate.thenCompose(open -> call(() -> super.acquire(command)));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return call(() -> super.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return call(() -> super.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return call(() -> super.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return call(() -> super.cancel(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return call(() -> super.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return call(() -> super.list(listing));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return call(super::nowMicros);
  }

  @Override
  public CompletionStage<List<Finding>> examine() {
    return call(super::examine);
  }

  @Override
  public Journal journal() {
    Journal next = super.journal();
    return new Journal() {
      @Override
      public CompletionStage<Void> append(
          JournalEntry.Kind kind, String name, long token, String node, Map<String, String> more) {
        return call(() -> next.append(kind, name, token, node, more));
      }

      @Override
      public CompletionStage<List<JournalEntry>> read(String name, int limit) {
        return call(() -> next.read(name, limit));
      }

      @Override
      public CompletionStage<List<JournalEntry>> readAll(int limit) {
        return call(() -> next.readAll(limit));
      }
    };
  }

  @Override
  public Registers registers() {
    Registers next = super.registers();
    return new Registers() {
      @Override
      public CompletionStage<Register> read(String key) {
        return call(() -> next.read(key));
      }

      @Override
      public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
        return call(() -> next.compareAndSet(seen, value));
      }

      @Override
      public CompletionStage<List<Register>> list(String prefix, int limit) {
        return call(() -> next.list(prefix, limit));
      }
    };
  }

  @Override
  public void close() {}
}
