package dev.pawl.degrade;

import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;

/**
 * How a pair of stores behaves.
 *
 * @param modeLease for how long a node counts on what it holds without an answer of the backup: the
 *     backup may be away for that long, and a node that dies together with the primary delays the
 *     switch by that long. The same in all nodes
 * @param votes whether this node has a say in when to switch; a short-lived process has none
 * @param deadAfter for how long the primary gives no answer before the node takes it for dead
 * @param returnAfter for how long all nodes must have seen the primary well before the locks return
 *     to it; doubled by each further switch, {@link #MOST_RETURN_AFTER} at most, and halved by each
 *     hour without one
 * @param backupCalls how many calls to the backup may be under way from this node; the others wait
 *     in the node
 */
public record PairOptions(
    Duration modeLease, boolean votes, Duration deadAfter, Duration returnAfter, int backupCalls) {

  /** How long the primary must have been well at the most. */
  public static final Duration MOST_RETURN_AFTER = Duration.ofMinutes(30);

  private static final Duration SHORTEST = Duration.ofMillis(500);
  private static final Duration LONGEST = Duration.ofHours(1);

  /** A mode lease of 60 s. */
  public static final PairOptions DEFAULT =
      new PairOptions(
          Duration.ofSeconds(60), true, Duration.ofSeconds(3), Duration.ofSeconds(30), 16);

  /** Checks the ranges. */
  public PairOptions {
    DurationText.check("mode-lease", modeLease, SHORTEST, LONGEST);
    DurationText.check("dead-after", deadAfter, Duration.ofMillis(100), LONGEST);
    DurationText.check("return-after", returnAfter, Duration.ofMillis(100), MOST_RETURN_AFTER);
    if (backupCalls < 1 || backupCalls > 10_000) {
      throw new IllegalArgumentException(
          "backup-calls is " + backupCalls + "; allowed is 1 to 10000");
    }
  }

  /** Returns the same with another mode lease. */
  public PairOptions withModeLease(Duration lease) {
    return new PairOptions(lease, votes, deadAfter, returnAfter, backupCalls);
  }

  /** Returns the same with or without a say. */
  public PairOptions withVotes(boolean say) {
    return new PairOptions(modeLease, say, deadAfter, returnAfter, backupCalls);
  }

  /** Returns the same with another time until the primary is taken for dead. */
  public PairOptions withDeadAfter(Duration time) {
    return new PairOptions(modeLease, votes, time, returnAfter, backupCalls);
  }

  /** Returns the same with another time until the locks return. */
  public PairOptions withReturnAfter(Duration time) {
    return new PairOptions(modeLease, votes, deadAfter, time, backupCalls);
  }

  /** Returns the same with another bound of the calls to the backup. */
  public PairOptions withBackupCalls(int most) {
    return new PairOptions(modeLease, votes, deadAfter, returnAfter, most);
  }

  /**
   * Returns the same with what a part of a URL says: {@code mode-lease=10s&vote=no}.
   *
   * @throws IllegalArgumentException if it says something else
   */
  PairOptions with(String part) {
    PairOptions options = this;
    Set<String> seen = new HashSet<>();
    for (String setting : part.split("&", -1)) {
      int equals = setting.indexOf('=');
      String key = equals < 0 ? setting : setting.substring(0, equals).strip();
      String value = equals < 0 ? "" : setting.substring(equals + 1).strip();
      String known = key.strip().toLowerCase(Locale.ROOT);
      if (!seen.add(known)) {
        throw new IllegalArgumentException(known + " is given twice");
      }
      options =
          switch (known) {
            case "mode-lease" -> options.withModeLease(time(known, value));
            case "vote" -> options.withVotes(yes(known, value));
            case "dead-after" -> options.withDeadAfter(time(known, value));
            case "return-after" -> options.withReturnAfter(time(known, value));
            case "backup-calls" -> options.withBackupCalls(number(known, value));
            default ->
                throw new IllegalArgumentException(
                    "a pair of stores has no setting of that name in its third part; it has"
                        + " mode-lease, vote, dead-after, return-after and backup-calls, as in \"…"
                        + " | … | mode-lease=10s&vote=no\"");
          };
    }
    return options;
  }

  private static Duration time(String key, String value) {
    try {
      return DurationText.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(key + ": " + e.getMessage(), e);
    }
  }

  private static boolean yes(String key, String value) {
    return switch (value) {
      case "yes", "true" -> true;
      case "no", "false" -> false;
      default ->
          throw new IllegalArgumentException(key + " is \"" + value + "\"; allowed is yes and no");
    };
  }

  private static int number(String key, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(key + " is \"" + value + "\", which is no number", e);
    }
  }
}
