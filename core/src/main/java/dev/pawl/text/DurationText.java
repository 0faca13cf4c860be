package dev.pawl.text;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Durations as people write them, in URLs, options and files alike: {@code 30s}, {@code 1m30s},
 * {@code 500ms}, {@code 2h}, {@code 1d}.
 */
public final class DurationText {

  private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

  private static final List<String> SYMBOLS = List.of("d", "h", "m", "s", "ms", "ns");

  private DurationText() {}

  /**
   * Reads a duration.
   *
   * @throws IllegalArgumentException if it is none, or too long to be counted in nanoseconds
   */
  public static Duration parse(String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw malformed(text);
    }
    Duration sum = Duration.ZERO;
    Matcher part = PART.matcher(text);
    try {
      while (part.find()) {
        sum =
            sum.plus(unit(part.group(2)).getDuration().multipliedBy(Long.parseLong(part.group(1))));
      }
      // Whoever takes it counts in nanoseconds.
      long unused = sum.toNanos();
    } catch (ArithmeticException e) {
      throw malformed(text);
    }
    return sum;
  }

  /**
   * Returns the duration as {@link #parse} reads it, for messages: a range that is shown can be
   * copied. What is negative or has nanoseconds is shown as well, though it cannot be read.
   */
  public static String format(Duration duration) {
    if (duration.isNegative()) {
      boolean hasOpposite = duration.toSeconds() != Long.MIN_VALUE;
      return hasOpposite ? "-" + format(duration.negated()) : duration.toString();
    }
    StringBuilder text = new StringBuilder();
    long[] parts = {
      duration.toDaysPart(),
      duration.toHoursPart(),
      duration.toMinutesPart(),
      duration.toSecondsPart(),
      duration.toMillisPart(),
      duration.toNanosPart() % 1_000_000
    };
    for (int i = 0; i < parts.length; i++) {
      if (parts[i] != 0) {
        text.append(parts[i]).append(SYMBOLS.get(i));
      }
    }
    return text.isEmpty() ? "0s" : text.toString();
  }

  /**
   * Checks a duration of the options of a store.
   *
   * @throws IllegalArgumentException if it is shorter or longer than what is allowed
   */
  public static void check(String field, Duration value, Duration least, Duration most) {
    Objects.requireNonNull(value, field);
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw new IllegalArgumentException(
          field + " is " + format(value) + "; allowed is " + format(least) + " to " + format(most));
    }
  }

  private static ChronoUnit unit(String symbol) {
    return switch (symbol) {
      case "ms" -> ChronoUnit.MILLIS;
      case "s" -> ChronoUnit.SECONDS;
      case "m" -> ChronoUnit.MINUTES;
      case "h" -> ChronoUnit.HOURS;
      default -> ChronoUnit.DAYS;
    };
  }

  private static IllegalArgumentException malformed(String text) {
    return new IllegalArgumentException(
        "\"" + text + "\" is no duration; write it like 500ms, 30s, 1m30s, 2h or 1d");
  }
}
