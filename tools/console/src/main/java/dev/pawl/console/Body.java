package dev.pawl.console;

import dev.pawl.console.api.Problem;
import dev.pawl.console.json.JsonFields;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** What a request brings: the path as it was sent, and a small body. */
final class Body {

  private static final int MOST_BYTES = 8_192;

  private static final long MOST_NANOS = 10_000_000_000L;

  private Body() {}

  /** Returns the path below that of the console, not decoded: a name may have a slash in it. */
  static String path(HttpServletRequest http) {
    String below = http.getRequestURI().substring(http.getContextPath().length());
    String mount = http.getServletPath();
    // Mapped to a path, that is a prefix; mapped to everything, it is empty.
    if (!mount.isEmpty() && below.startsWith(mount)) {
      below = below.substring(mount.length());
    }
    return below.startsWith("/") ? below.substring(1) : below;
  }

  static Map<String, String> fields(HttpServletRequest http) {
    String type = http.getContentType();
    if (type == null
        || !type.toLowerCase(Locale.ROOT).matches("application/json\\s*(;\\s*charset=utf-8)?")) {
      throw new Problem(415, "content-type", "the body has to be application/json in UTF-8");
    }
    if (http.getContentLengthLong() > MOST_BYTES) {
      throw tooLarge();
    }
    try {
      byte[] bytes = read(http.getInputStream());
      if (bytes.length > MOST_BYTES) {
        throw tooLarge();
      }
      return JsonFields.parse(
          StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (CharacterCodingException e) {
      throw Problem.malformed("the body is not UTF-8");
    } catch (IllegalArgumentException e) {
      throw Problem.malformed(String.valueOf(e.getMessage()));
    } catch (IOException e) {
      throw Problem.malformed("the body ends before its end");
    }
  }

  /**
   * Reads it, if it comes within some seconds: whoever sends a byte now and then keeps a thread.
   */
  private static byte[] read(InputStream in) throws IOException {
    long start = System.nanoTime();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] some = new byte[1_024];
    for (int n = in.read(some); n >= 0 && bytes.size() <= MOST_BYTES; n = in.read(some)) {
      if (System.nanoTime() - start > MOST_NANOS) {
        throw new Problem(408, "too-slow", "the body has to be here within 10 s");
      }
      bytes.write(some, 0, n);
    }
    return bytes.toByteArray();
  }

  private static Problem tooLarge() {
    return new Problem(413, "too-large", "a body has " + MOST_BYTES + " bytes at most");
  }
}
