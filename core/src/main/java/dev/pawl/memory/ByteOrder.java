package dev.pawl.memory;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;

/** The order of names by their bytes, which is not the order of their Java characters. */
final class ByteOrder {

  static final Comparator<String> OF_NAMES =
      (a, b) ->
          Arrays.compareUnsigned(
              a.getBytes(StandardCharsets.UTF_8), b.getBytes(StandardCharsets.UTF_8));

  private ByteOrder() {}
}
