package dev.pawl.cli.look;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.cli.look.StoreView.Now;
import dev.pawl.cli.shell.Durations;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.stream.Collectors;

/** What is known of a lock, in the words of tables. */
final class LockWords {

  /** What stands where there is nothing to say. */
  static final String NONE = "-";

  private LockWords() {}

  /** Returns {@code held}, {@code waited for} between two holders, or {@code free}. */
  static String state(LockInfo lock) {
    if (!lock.holders().isEmpty()) {
      return "held";
    }
    return lock.waiters().isEmpty() ? "free" : "waited for";
  }

  static boolean isFree(LockInfo lock) {
    return lock.holders().isEmpty() && lock.waiters().isEmpty();
  }

  /** Returns the latest tick that is done, where the name is that of a job. */
  static Optional<Instant> tick(LockInfo lock) {
    return lock.name().startsWith(Job.PREFIX) && lock.mark().isPresent()
        ? Optional.of(Instant.ofEpochMilli(lock.mark().getAsLong()))
        : Optional.empty();
  }

  /** Returns the first of those who hold it, and how many there are besides. */
  static String holder(LockInfo lock) {
    List<LockInfo.Holder> holders = lock.holders();
    if (holders.isEmpty()) {
      return NONE;
    }
    String more = holders.size() == 1 ? "" : " +" + (holders.size() - 1);
    return holders.get(0).label() + more;
  }

  static String kind(JournalEntry.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  static String details(SortedMap<String, String> details) {
    return details.entrySet().stream()
        .map(detail -> detail.getKey() + "=" + readable(detail.getValue()))
        .collect(Collectors.joining(", "));
  }

  /** A duration is written there for programs, as {@code PT0.12S}. */
  private static String readable(String value) {
    try {
      return value.startsWith("PT") ? Durations.format(Duration.parse(value)) : value;
    } catch (DateTimeParseException e) {
      return value; // A label or a reason that begins so.
    }
  }

  /** Returns who has a name that is not free, and since when. */
  static String describe(LockInfo lock, Now now) {
    if (lock.holders().isEmpty()) {
      return "%s is waited for by %s".formatted(lock.name(), lock.waiters().get(0).label());
    }
    return "%s is held by %s for %s, token %d"
        .formatted(
            lock.name(),
            holder(lock),
            Durations.format(now.since(lock.holders().get(0).since())),
            lock.holders().get(0).token());
  }

  /**
   * Returns the token of the first holder, which is the one to release it with; of a name that
   * nobody holds, the highest that was ever given out or reserved.
   */
  static long token(LockInfo lock) {
    return lock.holders().isEmpty() ? lock.token() : lock.holders().get(0).token();
  }

  /** Returns the host of a label like {@code app@host:pid}; empty if it is not like that. */
  static String host(String label) {
    int at = label.lastIndexOf('@');
    int colon = label.lastIndexOf(':');
    return at < 0 ? "" : label.substring(at + 1, colon > at ? colon : label.length());
  }

  static String orNone(String text) {
    return text.isEmpty() ? NONE : text;
  }

  static String share(boolean exclusive, int permits) {
    return exclusive ? "exclusive" : permits == 1 ? "shared" : permits + " permits";
  }

  /** Returns a name that the store does not know: it is as free as one that it does. */
  static LockInfo unknown(String name) {
    return new LockInfo(name, 0, OptionalLong.empty(), List.of(), List.of());
  }
}
