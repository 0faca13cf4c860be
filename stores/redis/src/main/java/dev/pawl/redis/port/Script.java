package dev.pawl.redis.port;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A Lua script, and the digest under which servers know it.
 *
 * @param file the file it is named after, for messages
 */
public record Script(String file, String text, String sha) {

  /** Puts a script together from its text. */
  public static Script of(String file, String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8));
      return new Script(file, text, HexFormat.of().formatHex(digest));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-1", e);
    }
  }

  @Override
  public String toString() {
    return file;
  }
}
