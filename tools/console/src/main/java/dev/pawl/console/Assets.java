package dev.pawl.console;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The files of the page, out of this jar: none has a name that could lead anywhere else. */
final class Assets {

  private static final Pattern NAME = Pattern.compile("[a-z0-9-]+\\.(html|css|js|svg)");
  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html;charset=UTF-8",
          "css", "text/css;charset=UTF-8",
          "js", "text/javascript;charset=UTF-8",
          "svg", "image/svg+xml");

  private final Map<String, Asset> known = new ConcurrentHashMap<>();

  private static final class Asset {
    private final byte[] bytes;
    private final String type;
    private final String tag;

    Asset(byte[] bytes, String type) {
      this.bytes = bytes;
      this.type = type;
      this.tag = "\"" + digest(bytes) + "\"";
    }
  }

  /** Sends a file; returns false if there is none of that name. */
  boolean send(String name, HttpServletRequest request, HttpServletResponse response)
      throws IOException {
    Optional<Asset> found = find(name);
    if (found.isEmpty()) {
      return false;
    }
    Asset asset = found.get();
    // Asked for each time, and sent when it has changed: a new version of the console is seen.
    response.setHeader("Cache-Control", "no-cache");
    response.setHeader("ETag", asset.tag);
    if (asset.tag.equals(request.getHeader("If-None-Match"))) {
      response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
      return true;
    }
    response.setContentType(asset.type);
    response.setContentLength(asset.bytes.length);
    if (!request.getMethod().equals("HEAD")) {
      response.getOutputStream().write(asset.bytes);
    }
    return true;
  }

  private Optional<Asset> find(String name) throws IOException {
    Matcher matcher = NAME.matcher(name);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    Asset asset = known.get(name);
    if (asset == null) {
      try (InputStream in = Assets.class.getResourceAsStream("web/" + name)) {
        if (in == null) {
          return Optional.empty();
        }
        byte[] bytes = in.readAllBytes();
        String type = TYPES.getOrDefault(matcher.group(1), "application/octet-stream");
        asset = new Asset(bytes, type);
        known.put(name, asset);
      }
    }
    return Optional.of(asset);
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return Base64.getUrlEncoder().withoutPadding().encodeToString(digest).substring(0, 16);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
