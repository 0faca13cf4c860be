package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.Journal;
import dev.pawl.spi.LockStore;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import java.util.function.Function;

/** The journal of the backup, which is that of the pair in every mode. */
final class SideJournal implements Journal {

  private final Side backup;

  private final BooleanSupplier closed;

  SideJournal(Side backup, BooleanSupplier closed) {
    this.backup = backup;
    this.closed = closed;
  }

  private <T> CompletionStage<T> call(Function<LockStore, CompletionStage<T>> command) {
    return closed.getAsBoolean()
        ? CompletableFuture.failedFuture(
            new StoreUnavailableException("the pair of stores is closed", null))
        : backup.call(command);
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    return call(store -> store.journal().append(kind, name, token, node, details));
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return call(store -> store.journal().read(name, limit));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return call(store -> store.journal().readAll(limit));
  }
}
