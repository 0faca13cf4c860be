package dev.pawl.engine.link;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.Pawl.Counts.Call;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A store whose calls are counted. It overrides every method of {@link LockStore}, so that no
 * default stands in for what the store does.
 */
final class CountedStore implements LockStore {

  private final LockStore store;
  private final StoreCalls calls;

  CountedStore(LockStore store, StoreCalls calls) {
    this.store = store;
    this.calls = calls;
  }

  /** Makes a call and counts it; one that throws has failed. */
  private <T> CompletionStage<T> counted(Call call, Supplier<CompletionStage<T>> made) {
    CompletionStage<T> stage;
    try {
      stage = made.get();
    } catch (RuntimeException | Error e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return calls.counted(call, stage);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return counted(Call.ACQUIRE, () -> store.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    CompletionStage<List<RenewReply>> stage = counted(Call.RENEW, () -> store.renew(commands));
    return StoreCalls.isAnswered(stage)
        ? stage
        : stage.whenComplete(
            (replies, error) -> {
              if (error != null) {
                calls.renewalsFailed(commands.size());
              }
            });
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return counted(Call.RELEASE, () -> store.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return counted(Call.YIELD, () -> store.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return counted(Call.CANCEL, () -> store.cancel(command));
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    return counted(Call.EVICT, () -> store.evict(command));
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    return counted(Call.RESET, () -> store.reset(command));
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    return counted(Call.FIND, () -> store.find(name));
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    return counted(Call.LIST, () -> store.list(listing));
  }

  @Override
  public CompletionStage<Long> nowMicros() {
    return counted(Call.CLOCK, store::nowMicros);
  }

  @Override
  public Journal journal() {
    return new CountedJournal(store.journal());
  }

  private final class CountedJournal implements Journal {

    private final Journal journal;

    CountedJournal(Journal journal) {
      this.journal = journal;
    }

    @Override
    public CompletionStage<Void> append(
        JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
      return counted(Call.JOURNAL, () -> journal.append(kind, name, token, node, details));
    }

    @Override
    public CompletionStage<List<JournalEntry>> read(String name, int limit) {
      return counted(Call.JOURNAL, () -> journal.read(name, limit));
    }

    @Override
    public CompletionStage<List<JournalEntry>> readAll(int limit) {
      return counted(Call.JOURNAL, () -> journal.readAll(limit));
    }
  }

  @Override
  public Registers registers() {
    return new CountedRegisters(store.registers());
  }

  private final class CountedRegisters implements Registers {

    private final Registers registers;

    CountedRegisters(Registers registers) {
      this.registers = registers;
    }

    @Override
    public CompletionStage<Register> read(String key) {
      return calls.counted(Call.REGISTER, registers.read(key));
    }

    @Override
    public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
      return calls.counted(Call.REGISTER, registers.compareAndSet(seen, value));
    }

    @Override
    public CompletionStage<List<Register>> list(String prefix, int limit) {
      return calls.counted(Call.REGISTER, registers.list(prefix, limit));
    }
  }

  // Not counted.

  @Override
  public CompletionStage<List<Finding>> examine() {
    return store.examine();
  }

  @Override
  public Set<Capability> capabilities() {
    return store.capabilities();
  }

  @Override
  public boolean blocking() {
    return store.blocking();
  }

  @Override
  public String shard(String name) {
    return store.shard(name);
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return store.subscribe(node, listener);
  }

  @Override
  public Optional<String> mode() {
    return store.mode();
  }

  @Override
  public String describe() {
    return store.describe();
  }

  @Override
  public void close() {
    store.close();
  }
}
