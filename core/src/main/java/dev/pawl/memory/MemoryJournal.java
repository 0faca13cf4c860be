package dev.pawl.memory;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A journal in memory that keeps the newest entries. */
final class MemoryJournal implements Journal {

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
      if (count(name) > OF_EACH_NAME) {
        removeOldest(name);
      } else if (newestFirst.size() > IN_ALL) {
        newestFirst.removeLast();
      }
    } finally {
      lock.unlock();
    }
    return CompletableFuture.completedFuture(null);
  }

  private long count(String name) {
    return newestFirst.stream().filter(entry -> entry.name().equals(name)).count();
  }

  private void removeOldest(String name) {
    Iterator<JournalEntry> oldestFirst = newestFirst.descendingIterator();
    while (!oldestFirst.next().name().equals(name)) {
      // The entries of others stay.
    }
    oldestFirst.remove();
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
