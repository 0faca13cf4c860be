package dev.pawl.spi;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * A small value that a store keeps under a key until somebody changes it, as it was read.
 *
 * @param key what it is kept under: 1 to 255 bytes of UTF-8 without control characters, compared
 *     byte for byte; no lock's name, and in nobody's way if a lock has the same one
 * @param version how often it has been written: 0 if never, and one more with every write, for
 *     ever. A value that was taken away leaves its version behind
 * @param value what was written; empty if nothing was, or if it was taken away
 */
public record Register(String key, long version, Optional<String> value) {

  /** How long a value may be, in bytes of UTF-8. */
  public static final int MAX_BYTES = 65_536;

  private static final int MAX_KEY_BYTES = 255;
  private static final int SHOWN_CHARS = 60;

  /** Checks what every store relies on. */
  public Register {
    checkKey(key);
    Objects.requireNonNull(value, "value");
    if (version < 0 || version == Long.MAX_VALUE || (version == 0 && value.isPresent())) {
      throw new IllegalArgumentException(
          "register " + quote(key) + " cannot have version " + version + " with " + value);
    }
    value.ifPresent(text -> checkValue(key, text));
  }

  /** Returns the register of a key that was never written. */
  public static Register absent(String key) {
    return new Register(key, 0, Optional.empty());
  }

  /** Returns what stands after this one was written. */
  public Register next(Optional<String> newValue) {
    return new Register(key, version + 1, newValue);
  }

  /**
   * Returns the key, if it is one.
   *
   * @throws IllegalArgumentException if it is not; the message says why
   */
  public static String checkKey(String key) {
    Objects.requireNonNull(key, "key");
    int bytes = bytes("register key " + quote(key), key);
    if (key.isEmpty() || bytes > MAX_KEY_BYTES || key.chars().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException(
          "register key "
              + quote(key)
              + " has "
              + bytes
              + " bytes; allowed are 1 to "
              + MAX_KEY_BYTES
              + " bytes of UTF-8 without control characters");
    }
    return key;
  }

  private static void checkValue(String key, String value) {
    int bytes = bytes("the value of register " + quote(key), value);
    if (bytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the value of register "
              + quote(key)
              + " has "
              + bytes
              + " bytes; allowed are "
              + MAX_BYTES
              + ": keep less in it, or several registers");
    }
  }

  /** Half of a surrogate pair has no bytes of its own, and would not be read as it was written. */
  private static int bytes(String what, String text) {
    if (text.codePoints()
        .anyMatch(code -> code >= Character.MIN_SURROGATE && code <= Character.MAX_SURROGATE)) {
      throw new IllegalArgumentException(
          what + " has half of a surrogate pair in it, which is no character");
    }
    return text.getBytes(StandardCharsets.UTF_8).length;
  }

  private static String quote(String key) {
    StringBuilder shown = new StringBuilder("\"");
    for (char c : key.substring(0, Math.min(key.length(), SHOWN_CHARS)).toCharArray()) {
      shown.append(
          Character.isISOControl(c) || Character.isSurrogate(c)
              ? "\\u" + "%04x".formatted((int) c)
              : String.valueOf(c));
    }
    return shown.append(key.length() > SHOWN_CHARS ? "…\"" : "\"").toString();
  }
}
