package dev.pawl.testkit;

import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Journal;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Supplier;

/**
 * A store that counts the round trips made through it, by kind (I9). What a store needs for one
 * call, in statements or commands of its own, is for its own tests to count.
 */
public final class CountingStore extends ForwardingStore {

  /** The kinds of round trip. */
  public enum Call {
    /** {@link LockStore#acquire}. */
    ACQUIRE,
    /** {@link LockStore#renew}, once for a whole batch. */
    RENEW,
    /** {@link LockStore#release}. */
    RELEASE,
    /** {@link LockStore#yieldGrant}. */
    YIELD,
    /** {@link LockStore#cancel}. */
    CANCEL,
    /** {@link LockStore#evict}. */
    EVICT,
    /** {@link LockStore#reset}. */
    RESET,
    /** {@link LockStore#find} and {@link LockStore#list}. */
    LOOK,
    /** Anything asked of the {@link LockStore#journal}. */
    JOURNAL,
    /** Anything asked of the {@link LockStore#registers}. */
    REGISTER
  }

  private final ConcurrentMap<Call, Long> counts = new ConcurrentHashMap<>();

  /** Counts what passes through to {@code next}. */
  public CountingStore(LockStore next) {
    super(next);
  }

  /** Returns how many calls of that kind there were. */
  public long count(Call call) {
    return counts.getOrDefault(call, 0L);
  }

  /** Returns how many calls there were of each kind that was called at all. */
  public Map<Call, Long> counts() {
    return Map.copyOf(counts);
  }

  /** Starts again from zero. */
  public void reset() {
    counts.clear();
  }

  private void counted(Call call) {
    counts.merge(call, 1L, Long::sum);
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    counted(Call.ACQUIRE);
    return super.acquire(command);
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    counted(Call.RENEW);
    return super.renew(commands);
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    counted(Call.RELEASE);
    return super.release(command);
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    counted(Call.YIELD);
    return super.yieldGrant(command);
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    counted(Call.CANCEL);
    return super.cancel(command);
  }

  @Override
  public CompletionStage<EvictReply> evict(Command.Evict command) {
    counted(Call.EVICT);
    return super.evict(command);
  }

  @Override
  public CompletionStage<ResetReply> reset(Command.Reset command) {
    counted(Call.RESET);
    return super.reset(command);
  }

  @Override
  public CompletionStage<Optional<LockInfo>> find(String name) {
    counted(Call.LOOK);
    return super.find(name);
  }

  @Override
  public CompletionStage<List<LockInfo>> list(Listing listing) {
    counted(Call.LOOK);
    return super.list(listing);
  }

  @Override
  public Journal journal() {
    return new CountingJournal(super.journal());
  }

  @Override
  public Registers registers() {
    return new ForwardingRegisters(
        super.registers(),
        new ForwardingRegisters.Way() {
          @Override
          public <R> CompletionStage<R> pass(Supplier<CompletionStage<R>> call) {
            counted(Call.REGISTER);
            return call.get();
          }
        });
  }

  private final class CountingJournal implements Journal {
    private final Journal next;

    CountingJournal(Journal next) {
      this.next = next;
    }

    @Override
    public CompletionStage<Void> append(
        JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
      counted(Call.JOURNAL);
      return next.append(kind, name, token, node, details);
    }

    @Override
    public CompletionStage<List<JournalEntry>> read(String name, int limit) {
      counted(Call.JOURNAL);
      return next.read(name, limit);
    }

    @Override
    public CompletionStage<List<JournalEntry>> readAll(int limit) {
      counted(Call.JOURNAL);
      return next.readAll(limit);
    }
  }
}
