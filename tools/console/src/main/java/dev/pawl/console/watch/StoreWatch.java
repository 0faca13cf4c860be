package dev.pawl.console.watch;

import dev.pawl.Inspector;
import dev.pawl.JournalEntry;
import dev.pawl.spi.Finding;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A store as the console sees it: what is read once for all pages, and the way to step in. */
public final class StoreWatch implements AutoCloseable {

  /** A change is to show within a second: 0.4 s until it is read, and the rest to get there. */
  private static final Duration LOCKS_PACE = Duration.ofMillis(400);

  private static final Duration HISTORY_PACE = Duration.ofSeconds(1);
  private static final Duration DOCTOR_PACE = Duration.ofSeconds(30);

  private final OpenStore store;
  private final NameJournals journals = new NameJournals();
  private final Shared<Locks> locks;
  private final Shared<History> history;
  private final Shared<List<Finding>> doctor;

  /** Looks at a store; nothing is read until somebody asks. */
  public StoreWatch(OpenStore store) {
    this.store = store;
    LocksReader locksReader = new LocksReader();
    HistoryReader historyReader = new HistoryReader();
    locks =
        new Shared<>("locks", LOCKS_PACE, () -> locksReader.read(store.inspector(), store.store()));
    history =
        new Shared<>(
            "history", HISTORY_PACE, () -> historyReader.read(store.inspector(), store.store()));
    doctor =
        new Shared<>(
            "doctor", DOCTOR_PACE, () -> new Probe(store.store(), Clock.systemUTC()).findings());
  }

  /** Returns the store's URL without secrets. */
  public String describe() {
    return store.describe();
  }

  /** Tells whether there is no such store yet. */
  public boolean isAbsent() {
    return store.isAbsent();
  }

  /** Returns which store of a pair has the locks; empty if it is no pair. */
  public Optional<String> mode() {
    return store.mode();
  }

  /** Returns the names in use. */
  public Shared<Locks> locks() {
    return locks;
  }

  /** Returns the jobs and the journal. */
  public Shared<History> history() {
    return history;
  }

  /** Returns what makes the store unsafe or slow. */
  public Shared<List<Finding>> doctor() {
    return doctor;
  }

  /**
   * Returns the latest journal entries of a name. The store is asked again when there is something
   * new of the name in what is read for all; those who look at the same name share it.
   */
  public List<JournalEntry> journal(String name, int limit, History history) {
    return journals.read(name, history, () -> store.inspector().journal(name, limit));
  }

  /** Returns the way to step in. */
  public Inspector inspector() {
    return store.inspector();
  }

  @Override
  public void close() {
    locks.close();
    history.close();
    doctor.close();
    store.close();
  }
}
