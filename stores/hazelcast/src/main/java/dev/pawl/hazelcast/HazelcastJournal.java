package dev.pawl.hazelcast;

import dev.pawl.JournalEntry;
import dev.pawl.hazelcast.member.Entries;
import dev.pawl.hazelcast.member.JournalPage;
import dev.pawl.hazelcast.member.JournalTurn;
import dev.pawl.spi.Journal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The journal in a map: a page of at most a hundred lines for each name. */
final class HazelcastJournal implements Journal {

  /** How many lines this process adds between two looks at how many there are in all. */
  private static final int LOOK_AFTER = 250;

  private final HazelcastCalls calls;
  private final Entries pages;
  private final AtomicInteger added = new AtomicInteger();

  HazelcastJournal(HazelcastCalls calls, Entries pages) {
    this.calls = calls;
    this.pages = pages;
  }

  @Override
  public CompletionStage<Void> append(
      JournalEntry.Kind kind, String name, long token, String node, Map<String, String> details) {
    byte[] line = JournalPage.text(kind, token, node, details);
    JournalTurn turn = JournalTurn.append(line, OF_EACH_NAME);
    return calls.submit(
        pages,
        name,
        turn,
        done -> {
          if (added.incrementAndGet() % LOOK_AFTER == 0) {
            var unused = calls.run(this::trim);
          }
          return null;
        });
  }

  @Override
  public CompletionStage<List<JournalEntry>> read(String name, int limit) {
    return calls
        .send(() -> pages.map().getAsync(name))
        .thenApply(
            page -> {
              List<JournalEntry> entries =
                  page == null ? List.of() : JournalPage.entries(name, page);
              return List.copyOf(entries.subList(0, Math.min(limit, entries.size())));
            });
  }

  @Override
  public CompletionStage<List<JournalEntry>> readAll(int limit) {
    return calls.run(
        () -> {
          List<JournalEntry> all = new ArrayList<>();
          everything().forEach((name, page) -> all.addAll(JournalPage.entries(name, page)));
          all.sort(Comparator.comparing(JournalEntry::at).reversed());
          return List.copyOf(all.subList(0, Math.min(limit, all.size())));
        });
  }

  private Map<String, byte[]> everything() {
    return pages.map().getAll(Set.copyOf(pages.map().keySet()));
  }

  /** Drops the oldest lines of all names where there are more than {@link #IN_ALL}. */
  private List<CompletionStage<byte[]>> trim() {
    Map<String, byte[]> all = everything();
    long[] times =
        all.values().stream()
            .flatMap(page -> JournalPage.decode(page).stream())
            .mapToLong(JournalPage.Line::micros)
            .sorted()
            .toArray();
    if (times.length <= IN_ALL) {
      return List.of();
    }
    long keptFrom = times[times.length - IN_ALL];
    List<CompletionStage<byte[]>> drops = new ArrayList<>();
    all.forEach(
        (name, page) -> {
          if (JournalPage.decode(page).get(0).micros() < keptFrom) {
            drops.add(
                calls.submit(pages, name, JournalTurn.dropBefore(keptFrom), Function.identity()));
          }
        });
    return drops;
  }
}
