package dev.pawl.spring;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/** The texts of annotations: placeholders, durations, and names that a store can take. */
final class Texts {

  private static final int MOST_BYTES = 255;
  private static final int DIGITS = 16;

  private final ConfigurableBeanFactory beans;

  Texts(ConfigurableBeanFactory beans) {
    this.beans = beans;
  }

  String resolve(String text) {
    String resolved = text.isEmpty() ? "" : beans.resolveEmbeddedValue(text);
    return resolved == null ? "" : resolved.strip();
  }

  Optional<Duration> duration(String attribute, String text) {
    String resolved = resolve(text);
    if (resolved.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(DurationFormatterUtils.detectAndParse(resolved));
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          attribute + " is \"" + resolved + "\"; write it like 10s, 500ms, 5m or PT10S", e);
    }
  }

  /** Returns a name as it is, or, if it is too long for a store, its beginning and a hash of it. */
  static String fit(String name, int reserved) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    int most = MOST_BYTES - reserved;
    if (bytes.length <= most) {
      return name;
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      String hash = HexFormat.of().formatHex(digest).substring(0, DIGITS);
      StringBuilder head = new StringBuilder(name);
      while (head.toString().getBytes(StandardCharsets.UTF_8).length > most - DIGITS - 1) {
        head.setLength(head.offsetByCodePoints(head.length(), -1));
      }
      return head + "~" + hash;
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this JDK has no SHA-256", e);
    }
  }
}
