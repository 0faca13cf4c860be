package dev.pawl.cli.demo;

import dev.pawl.LockOptions;
import java.time.Duration;
import java.util.List;

/** One act of the story. */
enum Act {
  NO_LOCK(1, "no lock", 2, 4),
  WITH_PAWL(2, "with Pawl", 2, 4),
  KILLED(3, "killed while sending", 1, 7),
  STALLED(4, "stalled past its lease", 1, 8);

  /** Whom the job reminds at each tick, in this order. */
  static final List<String> CUSTOMERS = List.of("Ann", "Ben", "Cleo", "Dan", "Eve", "Finn");

  /** How long a message is under way. Two of them are sent before the first renewal of a lease. */
  static final Duration SENDING = Duration.ofMillis(200);

  /** Short, so that nobody waits long for a take-over; longer than a busy machine hesitates. */
  static final Duration SHORT_LEASE = Duration.ofSeconds(3);

  private final int number;
  private final String title;
  private final int ticks;
  private final int plannedSeconds;

  Act(int number, String title, int ticks, int plannedSeconds) {
    this.number = number;
    this.title = title;
    this.ticks = ticks;
    this.plannedSeconds = plannedSeconds;
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
    return this == WITH_PAWL ? LockOptions.DEFAULT : LockOptions.DEFAULT.withLease(SHORT_LEASE);
  }

  /**
   * Tells whether a run begins where the last one of the tick ended, and shows its token at the
   * outbox. In the first two acts it does not: they differ in the lock, and in nothing else.
   */
  boolean isResumed() {
    return this == KILLED || this == STALLED;
  }

  /** Returns how many messages each reminder should be, with so many nodes. */
  int copies(int nodes) {
    return this == NO_LOCK ? nodes : 1;
  }
}
