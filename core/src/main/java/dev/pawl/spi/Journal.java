package dev.pawl.spi;

import dev.pawl.JournalEntry;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** A store's bounded record of what people want to look up later; the oldest entries go first. */
public interface Journal {

  /** Adds an entry, stamped with the store's clock. */
  CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details);

  /** Returns the latest entries of a name, the newest first. */
  CompletionStage<List<JournalEntry>> read(String name, int limit);

  /** Returns the latest entries of all names, the newest first. */
  CompletionStage<List<JournalEntry>> readAll(int limit);
}
