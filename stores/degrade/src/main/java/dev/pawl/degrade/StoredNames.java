package dev.pawl.degrade;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;

/**
 * How a name is stored: {@code EPOCH~NAME}, and in the first epoch as it is, so that nodes that
 * still use the primary alone exclude those that use the pair. Where that is longer than a name may
 * be, its end is replaced by a digest, and whoever lists the names sees it so.
 */
final class StoredNames {

  private static final int MOST_BYTES = 255;
  private static final char MARK = '~';
  private static final long FIRST = 1;

  private StoredNames() {}

  static String of(long epoch, String name) {
    return fitting(prefix(epoch), name);
  }

  static String prefix(long epoch) {
    return epoch == FIRST ? "" : Long.toString(epoch) + MARK;
  }

  /** Returns the name that is stored so; empty if it is of another epoch. */
  static Optional<String> read(long epoch, String stored) {
    String prefix = prefix(epoch);
    return stored.startsWith(prefix)
        ? Optional.of(stored.substring(prefix.length()))
        : Optional.empty();
  }

  /** Returns prefix and name, in as many bytes as a name may have. */
  static String fitting(String prefix, String name) {
    String whole = prefix + name;
    if (whole.length() * 3 <= MOST_BYTES
        || whole.getBytes(StandardCharsets.UTF_8).length <= MOST_BYTES) {
      return whole;
    }
    String digest = MARK + digest(name);
    int room = MOST_BYTES - prefix.length() - digest.length();
    int end = 0;
    for (int bytes = 0; end < name.length(); ) {
      int code = name.codePointAt(end);
      bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      if (bytes > room) {
        break;
      }
      end += Character.charCount(code);
    }
    return prefix + name.substring(0, end) + digest;
  }

  private static String digest(String name) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }
}
