package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Who a reverse proxy says it is, by a header. It is believed only of the proxies that are listed:
 * anybody else can write a header, too.
 *
 * @param operators the users who may step in; all others look
 */
public record ProxyAccess(String header, List<AddressRange> proxies, Set<String> operators)
    implements Access {

  private static final int MOST_CHARS = 128;

  /** Copies the lists. */
  public ProxyAccess {
    Objects.requireNonNull(header, "header");
    proxies = List.copyOf(proxies);
    operators = Set.copyOf(operators);
    if (proxies.isEmpty()) {
      throw new IllegalArgumentException("no proxy is listed, so no header would be believed");
    }
  }

  @Override
  public Optional<User> identified(HttpServletRequest request) {
    if (!new Proxies(proxies).sent(request)) {
      return Optional.empty();
    }
    List<String> values = Collections.list(request.getHeaders(header));
    // Two of them: one may be the caller's own, which the proxy has let through.
    if (values.size() != 1) {
      return Optional.empty();
    }
    // ASCII's spaces alone: one that ends in U+3000 is another, whichever way it was decoded.
    String name = text(values.get(0).trim());
    if (name.isEmpty() || name.length() > MOST_CHARS) {
      return Optional.empty();
    }
    return Optional.of(new User(name, operators.contains(name) ? Role.OPERATOR : Role.VIEWER));
  }

  /**
   * Returns what a proxy has written in UTF-8, which servers read as Latin-1: 张三 is a user, too.
   * What is no UTF-8 is as it was read.
   */
  private static String text(String read) {
    if (!StandardCharsets.ISO_8859_1.newEncoder().canEncode(read)) {
      return read;
    }
    ByteBuffer bytes = ByteBuffer.wrap(read.getBytes(StandardCharsets.ISO_8859_1));
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
    } catch (CharacterCodingException e) {
      return read;
    }
  }

  @Override
  public boolean isSecure(HttpServletRequest request) {
    return new Proxies(proxies).isSecure(request);
  }

  @Override
  public boolean hasSessions() {
    return false;
  }

  @Override
  public String kind() {
    return "proxy";
  }
}
