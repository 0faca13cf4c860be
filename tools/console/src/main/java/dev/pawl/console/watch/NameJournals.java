package dev.pawl.console.watch;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** The journals of the names that pages show, each read once for all who look at it. */
final class NameJournals {

  private static final int MOST_KEPT = 256;

  private final Map<String, Reading> readings = new ConcurrentHashMap<>();

  /** The newest that is known of a name: another one tells that there is more to read. */
  private record Newest(Optional<PastRun> run, Optional<JournalEntry> entry) {

    static Newest of(String name, History history) {
      return new Newest(
          history.runs().stream().filter(run -> name.equals(Job.PREFIX + run.job())).findFirst(),
          history.journal().stream().filter(entry -> entry.name().equals(name)).findFirst());
    }
  }

  private record Reading(Newest newest, CompletableFuture<List<JournalEntry>> entries) {}

  List<JournalEntry> read(String name, History history, Supplier<List<JournalEntry>> read) {
    Newest newest = Newest.of(name, history);
    Reading own = new Reading(newest, new CompletableFuture<>());
    if (readings.size() > MOST_KEPT) {
      readings.clear();
    }
    Reading current =
        readings.merge(
            name, own, (known, mine) -> known.newest().equals(mine.newest()) ? known : mine);
    if (current.entries() == own.entries()) {
      try {
        own.entries().complete(read.get());
      } catch (RuntimeException | Error e) { // Others may wait for it.
        readings.remove(name, own);
        own.entries().completeExceptionally(e);
        throw e;
      }
    }
    try {
      return current.entries().join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : e;
    }
  }
}
