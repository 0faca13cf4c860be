package dev.pawl.jdbc;

import dev.pawl.spi.KnownWords;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A URL taken apart: what the driver gets, and the options that are for Pawl: {@code
 * pawl.strategy}, {@code pawl.schema}, {@code pawl.prefix}, {@code pawl.createSchema}, {@code
 * pawl.retention}, {@code pawl.poolSize}, {@code pawl.timeout}.
 *
 * @param jdbc the URL without Pawl's parameters
 * @param options the options with those parameters set
 */
record JdbcUrl(String jdbc, JdbcOptions options) {

  private static final List<String> KNOWN =
      List.of(
          "pawl.strategy",
          "pawl.schema",
          "pawl.prefix",
          "pawl.createSchema",
          "pawl.retention",
          "pawl.poolSize",
          "pawl.timeout");

  /** Whatever begins like one of ours: drivers would ignore it. */
  private static final Pattern PARAMETER =
      Pattern.compile("([?&;])(?i:pawl)\\.([^=&;]*)(?:=([^&;]*))?");

  /** What no driver knows: ours, without its beginning. */
  private static final Pattern BARE =
      Pattern.compile(
          "[?&;](strategy|prefix|createSchema|create-schema|retention|poolSize|pool-size|timeout)=",
          Pattern.CASE_INSENSITIVE);

  static JdbcUrl parse(String url, JdbcOptions defaults) {
    String jdbc = url.startsWith("sqlite:") ? "jdbc:" + url : url;
    JdbcOptions options = defaults;
    StringBuilder rest = new StringBuilder();
    Matcher matcher = PARAMETER.matcher(jdbc);
    int end = 0;
    int questionMark = -1;
    Set<String> seen = new HashSet<>();
    while (matcher.find()) {
      if (!seen.add(matcher.group(2))) {
        throw new IllegalArgumentException("pawl." + matcher.group(2) + " is given twice");
      }
      options = with(options, matcher.group(2), Objects.requireNonNullElse(matcher.group(3), ""));
      rest.append(jdbc.substring(end, matcher.start()));
      if (matcher.group(1).equals("?")) {
        questionMark = rest.length();
      }
      end = matcher.end();
    }
    rest.append(jdbc.substring(end));
    // The first parameter took the question mark with it.
    if (questionMark >= 0 && questionMark < rest.length()) {
      rest.setCharAt(questionMark, '?');
    }
    Matcher bare = BARE.matcher(rest);
    if (bare.find()) {
      throw new IllegalArgumentException(
          bare.group(1)
              + " is no parameter of the driver; Pawl's own are written "
              + KnownWords.list(KNOWN));
    }
    return new JdbcUrl(rest.toString(), options);
  }

  private static JdbcOptions with(JdbcOptions options, String key, String value) {
    return switch (key) {
      case "strategy" -> options.withStrategy(JdbcStrategy.parse(value));
      case "schema" -> options.withSchema(value);
      case "prefix" -> options.withPrefix(value);
      case "createSchema" -> options.withCreateSchema(bool(value));
      case "retention" -> options.withRetention(duration(key, value));
      case "poolSize" -> options.withPoolSize(number(value));
      case "timeout" -> options.withTimeout(duration(key, value));
      default ->
          throw new IllegalArgumentException(KnownWords.unknown("parameter", "pawl." + key, KNOWN));
    };
  }

  private static boolean bool(String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "pawl.createSchema is \"" + value + "\"; allowed is true or false");
    };
  }

  private static int number(String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("pawl.poolSize is no number: \"" + value + "\"", e);
    }
  }

  private static Duration duration(String key, String value) {
    try {
      return DurationText.parse(value);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("pawl." + key + ": " + e.getMessage(), e);
    }
  }
}
