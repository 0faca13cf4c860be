package dev.pawl.jdbc;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

/** The order of names by their bytes, which is that of the databases. */
final class Bytes {

  static final Comparator<String> ORDER =
      (a, b) -> Arrays.compareUnsigned(Row.bytes(a), Row.bytes(b));

  private Bytes() {}

  /** Returns the first key after all that begin with {@code prefix}, if there can be one. */
  static Optional<byte[]> after(byte[] prefix) {
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
