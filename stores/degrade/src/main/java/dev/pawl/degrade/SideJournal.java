package dev.pawl.degrade;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The journal of the backup, which is that of the pair in every mode. */
final class SideJournal implements Journal {

  private final Side backup;

  SideJournal(Side backup) {
    this.backup = backup;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    return backup.call(store -> store.journal().append(kind, name, token, node, details));
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return backup.call(store -> store.journal().read(name, limit));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return backup.call(store -> store.journal().readAll(limit));
  }
}
