package dev.pawl.console.api;

import java.nio.charset.StandardCharsets;

/** The rule for names, as it is the same on every store; the store checks it again. */
final class Names {

  private static final int MOST_BYTES = 255;

  private Names() {}

  static String check(String name) {
    if (name.isBlank()
        || name.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES
        || name.codePoints().anyMatch(Names::isForbidden)) {
      throw Problem.malformed(
          "a name has 1 to " + MOST_BYTES + " bytes of UTF-8 and no control characters");
    }
    return name;
  }

  private static boolean isForbidden(int code) {
    return Character.isISOControl(code)
        || (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE);
  }
}
