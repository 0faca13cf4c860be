package dev.pawl.spi;

import dev.pawl.JournalEntry;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * A store's bounded record of what people want to look up later. The oldest entries go first, but a
 * name that writes a lot does not push out the others: the latest {@link #OF_EACH_NAME} of each are
 * kept, as far as {@link #IN_ALL} go.
 */
public interface Journal {

  /** How many entries of a name are kept: the last runs of a job that runs every minute or less. */
  int OF_EACH_NAME = 100;

  /** About how many entries are kept: enough to look back over a bad day, little enough to scan. */
  int IN_ALL = 10_000;

  /** Adds an entry, stamped with the store's clock. */
  CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details);

  /**
   * Returns the latest entries of a name, the newest first; without those that a later version has
   * written and this one has no word for.
   */
  CompletionStage<List<JournalEntry>> read(String name, int limit);

  /** Returns the latest entries of all names, as {@link #read} does. */
  CompletionStage<List<JournalEntry>> readAll(int limit);

  /** Returns the kind of entry of that name; empty if only a later version knows it. */
  static Optional<JournalEntry.Kind> kind(String name) {
    return Arrays.stream(JournalEntry.Kind.values())
        .filter(kind -> kind.name().equals(name))
        .findFirst();
  }
}
