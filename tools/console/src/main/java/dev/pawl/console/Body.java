package dev.pawl.console;

import dev.pawl.console.api.Problem;
import dev.pawl.console.json.JsonFields;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** What a request brings: the path as it was sent, and a small body. */
final class Body {

  private static final int MOST_BYTES = 8_192;

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
      byte[] bytes = http.getInputStream().readNBytes(MOST_BYTES + 1);
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

  private static Problem tooLarge() {
    return new Problem(413, "too-large", "a body has " + MOST_BYTES + " bytes at most");
  }
}
