package dev.pawl.console.json;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * JSON of maps, collections, strings, numbers, booleans and null; times in ISO 8601, durations in
 * seconds. For the console and for the command.
 */
public final class Json {

  private final StringBuilder text = new StringBuilder();
  private final boolean forBrowsers;

  private Json(boolean forBrowsers) {
    this.forBrowsers = forBrowsers;
  }

  /** Returns the value as one line. */
  public static String of(@Nullable Object value) {
    Json json = new Json(false);
    json.append(value);
    return json.text.toString();
  }

  /**
   * Returns the value as one line in which characters that mean something in HTML or in a script
   * are escaped, so that it stays text wherever it ends up.
   */
  public static String forBrowsers(@Nullable Object value) {
    Json json = new Json(true);
    json.append(value);
    return json.text.toString();
  }

  /** Returns a map in the order of its pairs of key and value. */
  public static Map<String, @Nullable Object> object(@Nullable Object... pairs) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      map.put(String.valueOf(pairs[i]), pairs[i + 1]);
    }
    return map;
  }

  private void append(@Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      appendMap(map);
    } else if (value instanceof Collection<?> all) {
      appendAll(all);
    } else if (value instanceof Optional<?> optional) {
      append(optional.orElse(null));
    } else if (value instanceof OptionalLong number) {
      append(number.isPresent() ? (Object) number.getAsLong() : null);
    } else if (value instanceof Duration duration) {
      append(duration.toMillis() / 1_000.0);
    } else if (value == null || value instanceof Number || value instanceof Boolean) {
      text.append(value);
    } else if (value instanceof CharSequence || value instanceof Instant || value instanceof Enum) {
      appendString(value.toString());
    } else {
      throw new IllegalArgumentException("no JSON for " + value.getClass());
    }
  }

  private void appendMap(Map<?, ?> map) {
    String separator = "{";
    for (Map.Entry<?, ?> entry : map.entrySet()) {
      text.append(separator);
      appendString(String.valueOf(entry.getKey()));
      text.append(':');
      append(entry.getValue());
      separator = ",";
    }
    text.append(map.isEmpty() ? "{}" : "}");
  }

  private void appendAll(Collection<?> all) {
    String separator = "[";
    for (Object each : all) {
      text.append(separator);
      append(each);
      separator = ",";
    }
    text.append(all.isEmpty() ? "[]" : "]");
  }

  private void appendString(String string) {
    text.append('"');
    for (int i = 0; i < string.length(); i++) {
      char c = string.charAt(i);
      switch (c) {
        case '"', '\\' -> text.append('\\').append(c);
        case '\n' -> text.append("\\n");
        case '\t' -> text.append("\\t");
        default -> {
          if (isEscaped(c) || (Character.isSurrogate(c) && isLone(string, i))) {
            text.append(String.format("\\u%04x", (int) c));
          } else {
            text.append(c);
          }
        }
      }
    }
    text.append('"');
  }

  private boolean isEscaped(char c) {
    return c < ' '
        || c == '\u007f'
        || (forBrowsers && (c == '<' || c == '>' || c == '&' || c == '\u2028' || c == '\u2029'));
  }

  private static boolean isLone(String string, int i) {
    return Character.isHighSurrogate(string.charAt(i))
        ? i + 1 == string.length() || !Character.isLowSurrogate(string.charAt(i + 1))
        : i == 0 || !Character.isHighSurrogate(string.charAt(i - 1));
  }
}
