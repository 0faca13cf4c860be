package dev.pawl.spi;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.UnsupportedByStoreException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A store that was opened to look at it, and of which nothing was created yet: no file, no table.
 * It knows no name, and every command that would have to write is refused.
 */
public abstract class AbsentStore implements LockStore {

  private final String describe;

  /** Makes one for what {@link #describe()} is to show. */
  protected AbsentStore(String describe) {
    this.describe = describe;
  }

  @Override
  public final String describe() {
    return describe;
  }

  @Override
  public final Set<Capability> capabilities() {
    return EnumSet.allOf(Capability.class);
  }

  @Override
  public abstract CompletionStage<Long> nowMicros();

  @Override
  public abstract CompletionStage<List<Finding>> examine();

  @Override
  public final Subscription subscribe(String node, Consumer<Signal> listener) {
    return () -> {};
  }

  @Override
  public final CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return refusal();
  }

  @Override
  public final CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return refusal();
  }

  @Override
  public final CompletionStage<ReleaseReply> release(Command.Release command) {
    return refusal();
  }

  @Override
  public final CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return refusal();
  }

  @Override
  public final CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return refusal();
  }

  @Override
  public final CompletionStage<EvictReply> evict(Command.Evict command) {
    return refusal();
  }

  @Override
  public final CompletionStage<ResetReply> reset(Command.Reset command) {
    return refusal();
  }

  @Override
  public final CompletionStage<Optional<LockInfo>> find(String name) {
    return CompletableFuture.completedFuture(Optional.empty());
  }

  @Override
  public final CompletionStage<List<LockInfo>> list(Listing listing) {
    return CompletableFuture.completedFuture(List.of());
  }

  @Override
  public final Journal journal() {
    return new Journal() {
      @Override
      public CompletionStage<Void> append(
          JournalEntry.Kind kind,
          String name,
          long token,
          String node,
          Map<String, String> details) {
        return refusal();
      }

      @Override
      public CompletionStage<List<JournalEntry>> read(String name, int limit) {
        return CompletableFuture.completedFuture(List.of());
      }

      @Override
      public CompletionStage<List<JournalEntry>> readAll(int limit) {
        return CompletableFuture.completedFuture(List.of());
      }
    };
  }

  @Override
  public final Registers registers() {
    return new Registers() {
      @Override
      public CompletionStage<Register> read(String key) {
        return CompletableFuture.completedFuture(Register.absent(key));
      }

      @Override
      public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
        return refusal();
      }

      @Override
      public CompletionStage<List<Register>> list(String prefix, int limit) {
        return CompletableFuture.completedFuture(List.of());
      }
    };
  }

  private <T> CompletionStage<T> refusal() {
    return CompletableFuture.failedFuture(
        new UnsupportedByStoreException(
            describe
                + " was not created yet, and was opened only to look at it; check its address, or"
                + " take a lock in it first"));
  }
}
