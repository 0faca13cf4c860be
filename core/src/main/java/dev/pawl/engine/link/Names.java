package dev.pawl.engine.link;

import dev.pawl.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;

/** The rule for names, the same on every store: 1 to 255 bytes of UTF-8, no control characters. */
public final class Names {

  static final int MAX_BYTES = 255;

  private static final int SHOWN_CHARS = 60;

  /** The order of names by their bytes, the same in every process. */
  public static final Comparator<String> BY_BYTES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private Names() {}

  public static String check(String name) {
    Objects.requireNonNull(name, "name");
    int bytes = 0;
    boolean blank = true;
    for (int i = 0; i < name.length(); ) {
      int code = name.codePointAt(i);
      if (Character.isISOControl(code)) {
        throw invalid(name, "has the control character U+" + "%04X".formatted(code) + " in it");
      }
      if (code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE) {
        throw invalid(name, "has half of a surrogate pair in it, which is no character");
      }
      blank &= Character.isWhitespace(code) || Character.isSpaceChar(code);
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      i += Character.charCount(code);
    }
    if (bytes > MAX_BYTES) {
      throw invalid(name, "has " + bytes + " bytes");
    }
    if (blank) {
      throw invalid(name, name.isEmpty() ? "is empty" : "is blank");
    }
    return name;
  }

  private static InvalidNameException invalid(String name, String why) {
    return new InvalidNameException(
        "name "
            + quote(name)
            + " "
            + why
            + "; allowed are 1 to "
            + MAX_BYTES
            + " bytes of UTF-8 that are not all blank, without control characters");
  }

  /** Returns the name in quotes for a message, control characters escaped and not too long. */
  public static String quote(String name) {
    StringBuilder shown = new StringBuilder("\"");
    for (int i = 0; i < name.length() && i < SHOWN_CHARS; i++) {
      char c = name.charAt(i);
      boolean lone =
          Character.isSurrogate(c)
              && !(i + 1 < name.length() && Character.isSurrogatePair(c, name.charAt(i + 1)))
              && !(i > 0 && Character.isSurrogatePair(name.charAt(i - 1), c));
      if (Character.isISOControl(c) || lone) {
        shown.append("\\u").append("%04x".formatted((int) c));
      } else {
        shown.append(c);
      }
    }
    return shown.append(name.length() > SHOWN_CHARS ? "…\"" : "\"").toString();
  }
}
