package dev.pawl.redis.store;

import dev.pawl.JournalEntry;
import dev.pawl.redis.port.Answers;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.spi.Journal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The journal as capped streams, one for all and one for each name, stamped by the server. */
public final class RedisJournal implements Journal {

  /** The entries of a name that writes no more are kept for so long. */
  public static final Duration RETENTION = Duration.ofDays(30);

  private static final int FIRST_DETAIL = 8;

  private final RedisPort port;
  private final RedisKeys keys;

  public RedisJournal(RedisPort port, RedisKeys keys) {
    this.port = port;
    this.keys = keys;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    List<String> args = new ArrayList<>();
    args.add(Integer.toString(IN_ALL));
    args.add(Integer.toString(OF_EACH_NAME));
    args.add(Long.toString(RETENTION.toSeconds()));
    args.addAll(List.of("name", name, "kind", kind.name()));
    args.addAll(List.of("token", Long.toString(token), "node", node));
    details.forEach((key, value) -> args.addAll(List.of(key, value)));
    return port.eval(Scripts.JOURNAL_APPEND, List.of(keys.journal(), keys.journal(name)), args)
        .thenAccept(done -> {});
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return newest(keys.journal(name), limit);
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return newest(keys.journal(), limit);
  }

  private CompletionStage<List<JournalEntry>> newest(String stream, int limit) {
    return port.eval(Scripts.JOURNAL_READ, List.of(stream), List.of(Integer.toString(limit)))
        .thenApply(
            answer ->
                Answers.list(answer).stream()
                    .map(RedisJournal::entry)
                    .flatMap(Optional::stream)
                    .toList());
  }

  private static Optional<JournalEntry> entry(Object answer) {
    List<?> entry = Answers.list(answer);
    String id = Answers.text(entry.get(0));
    List<String> fields = Answers.list(entry.get(1)).stream().map(Answers::text).toList();
    Map<String, String> details = new HashMap<>();
    for (int i = FIRST_DETAIL; i < fields.size(); i += 2) {
      details.put(fields.get(i), fields.get(i + 1));
    }
    return Journal.kind(fields.get(3))
        .map(
            kind ->
                new JournalEntry(
                    Instant.ofEpochMilli(Long.parseLong(id.substring(0, id.indexOf('-')))),
                    kind,
                    fields.get(1),
                    Long.parseLong(fields.get(5)),
                    fields.get(7),
                    details));
  }
}
