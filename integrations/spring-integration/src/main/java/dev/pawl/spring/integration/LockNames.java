package dev.pawl.spring.integration;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Names of locks for keys. Where a key is no name (the path of a file may be too long, and anything
 * may have a line break in it) the name is the beginning of the key and its SHA-256.
 */
final class LockNames {

  private static final int MAX_BYTES = 255;
  private static final int SHOWN_CODE_POINTS = 40;

  private LockNames() {}

  static String of(String prefix, Object key) {
    String name = prefix + key;
    return isName(name) ? name : shortened(name);
  }

  private static boolean isName(String text) {
    return text.getBytes(StandardCharsets.UTF_8).length <= MAX_BYTES
        && text.codePoints().noneMatch(LockNames::isNotAllowed);
  }

  private static boolean isNotAllowed(int code) {
    return Character.isISOControl(code) || Character.getType(code) == Character.SURROGATE;
  }

  private static String shortened(String text) {
    StringBuilder name = new StringBuilder();
    text.codePoints()
        .limit(SHOWN_CODE_POINTS)
        .forEach(code -> name.appendCodePoint(isNotAllowed(code) ? '?' : code));
    return name.append('#').append(HexFormat.of().formatHex(sha256(text))).toString();
  }

  /** Of the characters themselves, so that halves of a pair are told apart too. */
  private static byte[] sha256(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_16BE));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
