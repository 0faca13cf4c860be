package dev.pawl.redis.redlock;

import dev.pawl.JournalEntry;
import dev.pawl.redis.store.RedisJournal;
import dev.pawl.spi.Journal;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** The journal on every server: written to all that can be reached, read from the fullest. */
public final class RedlockJournal implements Journal {

  private final String where;
  private final List<RedisJournal> journals;

  public RedlockJournal(String where, List<RedisJournal> journals) {
    this.where = where;
    this.journals = journals;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    List<CompletionStage<Boolean>> asked =
        journals.stream()
            .map(journal -> journal.append(kind, name, token, node, details).thenApply(v -> true))
            .toList();
    return Votes.<Boolean, Boolean>count(
            asked,
            votes -> {
              if (votes.outstanding() > 0) {
                return null;
              }
              if (votes.answered() == 0) {
                throw votes.tooFew(where, true);
              }
              return true;
            })
        .thenAccept(done -> {});
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return fullest(journal -> journal.read(name, limit));
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return fullest(journal -> journal.readAll(limit));
  }

  private CompletionStage<List<JournalEntry>> fullest(
      Function<RedisJournal, CompletionStage<List<JournalEntry>>> reading) {
    List<CompletionStage<List<JournalEntry>>> asked = journals.stream().map(reading).toList();
    return Votes.<List<JournalEntry>, List<JournalEntry>>count(
        asked,
        votes ->
            votes.outstanding() > 0
                ? null
                : votes.answers().stream()
                    .max(Comparator.comparingInt(List::size))
                    .orElseThrow(() -> votes.tooFew(where, false)));
  }
}
