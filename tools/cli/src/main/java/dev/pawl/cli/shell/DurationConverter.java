package dev.pawl.cli.shell;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Durations as people write them: {@code 30s}, {@code 1m30s}, {@code 500ms}, {@code 2h}. */
public final class DurationConverter implements ITypeConverter<Duration> {

  private static final Pattern PART = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
  private static final Pattern WHOLE = Pattern.compile("(?:" + PART.pattern() + ")+");

  @Override
  public Duration convert(String text) {
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

  private static ChronoUnit unit(String symbol) {
    return switch (symbol) {
      case "ms" -> ChronoUnit.MILLIS;
      case "s" -> ChronoUnit.SECONDS;
      case "m" -> ChronoUnit.MINUTES;
      case "h" -> ChronoUnit.HOURS;
      default -> ChronoUnit.DAYS;
    };
  }

  private static TypeConversionException malformed(String text) {
    return new TypeConversionException(
        "\"" + text + "\" is no duration; write it like 500ms, 30s, 1m30s, 2h or 1d");
  }
}
