package dev.pawl.jdbc.sql;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Texts as the bytes that are stored of them, and their order, which is that of the databases. */
public final class Utf8 {

  /** The order of names by their bytes. */
  public static final Comparator<String> ORDER =
      (a, b) -> Arrays.compareUnsigned(bytes(a), bytes(b));

  private Utf8() {}

  /** Returns the bytes of a text. */
  public static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the text of bytes; empty if there are none. */
  public static String text(byte @Nullable [] bytes) {
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Returns the first key after all that begin with {@code prefix}, if there can be one. */
  public static Optional<byte[]> after(byte[] prefix) {
    for (int i = prefix.length - 1; i >= 0; i--) {
      if (prefix[i] != (byte) 0xFF) {
        byte[] after = Arrays.copyOf(prefix, i + 1);
        after[i]++;
        return Optional.of(after);
      }
    }
    return Optional.empty();
  }
}
