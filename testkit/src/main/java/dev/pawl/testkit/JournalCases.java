package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The journal: what people look up later. */
abstract class JournalCases extends SpiCases {

  JournalCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void anEntryIsReadAsItWasWritten() {
    Map<String, String> details = Map.of("by", "Zoë \"the\" op", "reason", "it's 100% dead\n😀");
    append(0, JournalEntry.Kind.FORCED_RELEASE, name(), Long.MAX_VALUE / 3, details);

    List<JournalEntry> entries = read(name(), 10);

    assertThat(entries).hasSize(1);
    JournalEntry entry = entries.get(0);
    assertThat(entry.kind()).isEqualTo(JournalEntry.Kind.FORCED_RELEASE);
    assertThat(entry.name()).isEqualTo(name());
    assertThat(entry.token()).isEqualTo(Long.MAX_VALUE / 3);
    assertThat(entry.node()).isEqualTo("node 0");
    assertThat(entry.details()).isEqualTo(details);
  }

  @Test
  void theNewestEntriesComeFirst() {
    for (int i = 1; i <= 5; i++) {
      append(i % 2, JournalEntry.Kind.LEASE_LOST, name(), i, Map.of());
    }

    List<JournalEntry> entries = read(name(), 3);

    assertThat(entries).extracting(JournalEntry::token).containsExactly(5L, 4L, 3L);
    assertThat(entries.get(0).at()).isAfterOrEqualTo(entries.get(2).at());
  }

  @Test
  void entriesAreReadByNameOrAllTogether() {
    append(0, JournalEntry.Kind.LEASE_LOST, name("a"), 1, Map.of());
    append(1, JournalEntry.Kind.JOB_RUN, name("A"), 2, Map.of());
    append(0, JournalEntry.Kind.LEASE_LOST, name("a"), 3, Map.of());

    assertThat(read(name("a"), 10)).extracting(JournalEntry::token).containsExactly(3L, 1L);
    assertThat(read(name("A"), 10)).extracting(JournalEntry::token).containsExactly(2L);
    assertThat(read(name("none"), 10)).isEmpty();
    assertThat(Replies.of(store().journal().readAll(1_000)))
        .filteredOn(entry -> entry.name().startsWith(prefix()))
        .extracting(JournalEntry::token)
        .as("two names may be on two servers, whose clocks differ by a little")
        .containsExactlyInAnyOrder(3L, 2L, 1L)
        .containsSubsequence(3L, 1L);
  }

  @Test
  void aNameThatWritesALotDoesNotPushOutTheOthers() {
    append(0, JournalEntry.Kind.JOB_RUN, name("daily"), 1, Map.of());
    int written = 3 * Journal.OF_EACH_NAME;
    for (int i = 1; i <= written; i++) {
      append(0, JournalEntry.Kind.JOB_RUN, name("busy"), i, Map.of());
    }

    assertThat(read(name("daily"), 10)).hasSize(1);
    assertThat(read(name("busy"), written))
        .as("a store may wait a while before it cleans up")
        .hasSizeBetween(Journal.OF_EACH_NAME, 2 * Journal.OF_EACH_NAME)
        .first()
        .matches(entry -> entry.token() == written);
  }

  private void append(
      int instance, JournalEntry.Kind kind, String name, long token, Map<String, String> details) {
    Replies.of(store(instance).journal().append(kind, name, token, "node " + instance, details));
  }

  private List<JournalEntry> read(String name, int limit) {
    return Replies.of(store(1).journal().read(name, limit));
  }
}
