package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Locale;

/** The orders in which locks are shown. */
enum LockOrder {
  /** By name, as the store has them. */
  NAME,

  /** Those first that are held the longest. */
  HELD,

  /** Those first whose lease expires the soonest. */
  LEASE,

  /** Those first that the most wait for. */
  WAITING;

  Comparator<LockInfo> comparator() {
    return switch (this) {
      case NAME -> Comparator.comparing(lock -> ""); // A stable sort leaves them as they are.
      case HELD -> Comparator.comparing(LockOrder::since);
      case LEASE -> Comparator.comparing(LockOrder::left);
      case WAITING -> Comparator.comparing((LockInfo lock) -> lock.waiters().size()).reversed();
    };
  }

  LockOrder next() {
    return switch (this) {
      case NAME -> HELD;
      case HELD -> LEASE;
      case LEASE -> WAITING;
      case WAITING -> NAME;
    };
  }

  private static Instant since(LockInfo lock) {
    return lock.holders().stream()
        .map(LockInfo.Holder::since)
        .min(Comparator.naturalOrder())
        .orElse(Instant.MAX);
  }

  private static Duration left(LockInfo lock) {
    return lock.holders().stream()
        .map(LockInfo.Holder::left)
        .min(Comparator.naturalOrder())
        .orElse(Duration.ofSeconds(Long.MAX_VALUE));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
