package dev.pawl.memory;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A journal in memory that keeps the newest entries. */
final class MemoryJournal implements Journal {

  /** How many entries are kept: enough to look back over a bad day, little enough to forget. */
  static final int CAPACITY = 10_000;

  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<JournalEntry> newestFirst = new ArrayDeque<>();
  private final Supplier<Instant> clock;

  MemoryJournal(Supplier<Instant> clock) {
    this.clock = clock;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    lock.lock();
    try {
      newestFirst.addFirst(new JournalEntry(clock.get(), kind, name, token, node, details));
      if (newestFirst.size() > CAPACITY) {
        newestFirst.removeLast();
      }
    } finally {
      lock.unlock();
    }
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return read(entry -> entry.name().equals(name), limit);
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return read(entry -> true, limit);
  }

  private CompletionStage<List<JournalEntry>> read(Predicate<JournalEntry> wanted, int limit) {
    lock.lock();
    try {
      return CompletableFuture.completedFuture(
          newestFirst.stream().filter(wanted).limit(limit).toList());
    } finally {
      lock.unlock();
    }
  }
}
