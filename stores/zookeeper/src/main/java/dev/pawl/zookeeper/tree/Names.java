package dev.pawl.zookeeper.tree;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * A lock's name as one segment of a path, and back: letters, digits, {@code -} and {@code _} stand
 * for themselves, every other byte of the UTF-8 for {@code %} and two digits. So no name leaves the
 * node it belongs under, or means anything to ZooKeeper.
 */
public final class Names {

  private static final String HEX = "0123456789ABCDEF";

  private Names() {}

  /** Returns the segment of a name. */
  public static String encode(String name) {
    StringBuilder segment = new StringBuilder(name.length() + 16);
    for (byte each : name.getBytes(StandardCharsets.UTF_8)) {
      if (isPlain(each)) {
        segment.append((char) each);
      } else {
        segment.append('%').append(HEX.charAt((each >> 4) & 0xF)).append(HEX.charAt(each & 0xF));
      }
    }
    return segment.toString();
  }

  /**
   * Returns the name of a segment.
   *
   * @throws IllegalArgumentException if it is none that {@link #encode} has written
   */
  public static String decode(String segment) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream(segment.length());
    for (int i = 0; i < segment.length(); i++) {
      char each = segment.charAt(i);
      if (each != '%') {
        bytes.write(each);
      } else if (i + 2 < segment.length()) {
        bytes.write(Integer.parseInt(segment.substring(i + 1, i + 3), 16));
        i += 2;
      } else {
        throw new IllegalArgumentException("\"" + segment + "\" is cut");
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Returns the name of a segment; empty if it is none that {@link #encode} has written. */
  public static Optional<String> find(String segment) {
    try {
      String name = decode(segment);
      return encode(name).equals(segment) ? Optional.of(name) : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  private static boolean isPlain(byte each) {
    return (each >= 'a' && each <= 'z')
        || (each >= 'A' && each <= 'Z')
        || (each >= '0' && each <= '9')
        || each == '-'
        || each == '_';
  }
}
