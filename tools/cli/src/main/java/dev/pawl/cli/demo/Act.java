package dev.pawl.cli.demo;

import dev.pawl.LockOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** One act of a story. */
enum Act {
  NO_LOCK(Tale.NODES, 1, "no lock", 2, 4),
  WITH_PAWL(Tale.NODES, 2, "with Pawl", 2, 4),
  KILLED(Tale.NODES, 3, "killed while sending", 1, 7),
  STALLED(Tale.NODES, 4, "stalled past its lease", 1, 8),
  ON_PRIMARY(Tale.STORES, 1, "on the primary", 1, 3),
  PRIMARY_KILLED(Tale.STORES, 2, "the primary is killed", 1, 8),
  ON_BACKUP(Tale.STORES, 3, "on the backup", 1, 3),
  PRIMARY_BACK(Tale.STORES, 4, "the primary is back", 1, 12),
  ON_PRIMARY_AGAIN(Tale.STORES, 5, "on the primary again", 1, 3);

  /** What happens to whom. */
  enum Tale {
    /** To the nodes, with a lock and without. */
    NODES,
    /** To the store, which has a backup. */
    STORES
  }

  /** Whom the job reminds at each tick, in this order. */
  static final List<String> CUSTOMERS = List.of("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn");

  /** How long a message is under way. Two of them are sent before the first renewal of a lease. */
  static final Duration SENDING = Duration.ofMillis(200);

  /** Short, so that nobody waits long for a take-over; longer than a busy machine hesitates. */
  static final Duration SHORT_LEASE = Duration.ofSeconds(3);

  private final Tale tale;
  private final int number;
  private final String title;
  private final int ticks;
  private final int plannedSeconds;

  Act(Tale tale, int number, String title, int ticks, int plannedSeconds) {
    this.tale = tale;
    this.number = number;
    this.title = title;
    this.ticks = ticks;
    this.plannedSeconds = plannedSeconds;
  }

  /** Returns the acts of a story, in their order. */
  static List<Act> of(Tale tale) {
    return Arrays.stream(values()).filter(act -> act.tale == tale).toList();
  }

  Tale tale() {
    return tale;
  }

  int number() {
    return number;
  }

  String title() {
    return title;
  }

  /** Returns how often the job is due, if all goes as planned. */
  int ticks() {
    return ticks;
  }

  /** Returns about how long it takes. */
  int plannedSeconds() {
    return plannedSeconds;
  }

  /** Returns the options of the job. */
  LockOptions options() {
    return this == KILLED || this == STALLED
        ? LockOptions.DEFAULT.withLease(SHORT_LEASE)
        : LockOptions.DEFAULT;
  }

  /**
   * Tells whether a run begins where the last one of the tick ended, and shows its token at the
   * outbox. In the first two acts it does not: they differ in the lock, and in nothing else.
   */
  boolean isResumed() {
    return this == KILLED || this == STALLED || tale == Tale.STORES;
  }

  /** Tells whether another node has to end what one has begun. */
  boolean isTakenOver() {
    return this == KILLED || this == STALLED;
  }

  /** Returns how long a message is under way. */
  Duration sending() {
    // So long that the primary dies, and the mode changes, while one sends.
    return this == PRIMARY_KILLED || this == PRIMARY_BACK ? SENDING.multipliedBy(4) : SENDING;
  }

  /** Returns how many messages each reminder should be, with so many nodes. */
  int copies(int nodes) {
    return this == NO_LOCK ? nodes : 1;
  }
}
