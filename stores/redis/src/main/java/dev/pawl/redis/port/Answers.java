package dev.pawl.redis.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a server answered, as the type that is expected. */
public final class Answers {

  private Answers() {}

  public static List<?> list(@Nullable Object answer) {
    if (answer instanceof List<?> list) {
      return list;
    }
    throw new IllegalStateException("a list was expected, and there came " + answer);
  }

  public static long number(@Nullable Object answer) {
    if (answer instanceof Long number) {
      return number;
    }
    throw new IllegalStateException("a number was expected, and there came " + answer);
  }

  public static String text(@Nullable Object answer) {
    return answer == null ? "" : answer.toString();
  }
}
