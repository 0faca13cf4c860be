package dev.pawl.console.api;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/**
 * A name as a part of a path. Percent-encoded, as everywhere; or {@code ~} and its bytes in
 * base64url, which proxies and firewalls let through that refuse {@code %2F}, {@code %25} or {@code
 * ;}.
 */
final class Segment {

  private static final char BASE64 = '~';

  private Segment() {}

  static String decode(String raw) {
    try {
      byte[] bytes =
          !raw.isEmpty() && raw.charAt(0) == BASE64
              ? Base64.getUrlDecoder().decode(raw.substring(1))
              : percentDecoded(raw);
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException | IllegalArgumentException e) {
      throw Problem.malformed(
          "the name in the path is neither percent-encoded UTF-8 nor ~ and base64url");
    }
  }

  private static byte[] percentDecoded(String raw) {
    byte[] bytes = raw.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream out = new ByteArrayOutputStream(bytes.length);
    int i = 0;
    while (i < bytes.length) {
      if (bytes[i] != '%') {
        out.write(bytes[i]);
        i++;
      } else if (i + 2 < bytes.length) {
        out.write(digit(bytes[i + 1]) * 16 + digit(bytes[i + 2]));
        i += 3;
      } else {
        throw new IllegalArgumentException("it ends within an escape");
      }
    }
    return out.toByteArray();
  }

  private static int digit(byte c) {
    int digit = Character.digit(c, 16);
    if (digit < 0) {
      throw new IllegalArgumentException("not a hexadecimal digit");
    }
    return digit;
  }
}
