package dev.pawl.redis.port;

import dev.pawl.PawlException;
import dev.pawl.StoreUnavailableException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import javax.net.ssl.SSLException;

/**
 * Why there is no connection, as one line with what to do. The clients tell it somewhere below what
 * they throw, in types of their own or of the JDK, and in words.
 */
public final class Unreachable {

  private final String where;
  private final Throwable cause;
  private final boolean atFirst;

  private Unreachable(String where, Throwable cause, boolean atFirst) {
    this.where = where;
    this.cause = cause;
    this.atFirst = atFirst;
  }

  /**
   * Returns what to tell.
   *
   * @param atFirst whether the address itself may be wrong, of which nothing has answered yet
   */
  static PawlException of(String where, Throwable cause, boolean atFirst) {
    return new Unreachable(where, cause, atFirst).exception();
  }

  private PawlException exception() {
    Optional<Throwable> tls = find(cause, each -> each instanceof SSLException);
    if (tls.isPresent() && !says("not an SSL/TLS record", "unrecognized SSL message")) {
      return new PawlException(
          where
              + ": no TLS connection ("
              + tls.get().getMessage()
              + "). The certificate must be for that host, and its issuer in the trust store"
              + " (javax.net.ssl.trustStore)",
          cause);
    }
    return new StoreUnavailableException(where + " cannot be reached" + reason(), cause);
  }

  private String reason() {
    if (is(UnknownHostException.class) || says("Failed to resolve", "UnknownHostException")) {
      return ": the host is unknown; check its name, or the DNS";
    }
    if (says("Connection refused")) {
      return ": connection refused, nothing listens there; start Redis, or check host and port";
    }
    if (is(NoRouteToHostException.class)
        || is(ConnectException.class)
        || says("connection timed out", "connect timed out")) {
      return ": no way to that host and port; check both, and the firewall";
    }
    if (is(SSLException.class)) {
      return ": it does not speak TLS; use redis:// without TLS, or check the port";
    }
    if (says("Invalid first byte", "Unknown reply", "RedisProtocolException")) {
      return ": what answers there is not Redis; check the port";
    }
    if (says("closed prematurely", "Unexpected end of stream", "Connection reset")) {
      return atFirst
          ? ": it closed the connection at once, as what is not Redis does; check the port, and"
              + " whether it wants TLS (rediss://)"
          : ": the connection was closed at once; check whether Redis runs, and what is before it,"
              + " such as a proxy";
    }
    if (says("sentinels down", "Sentinel")) {
      return ": no Sentinel answered, or none knows that master; check the hosts and the name";
    }
    if (says("timed out") && !atFirst) {
      return ": it takes connections and does not answer; check whether Redis is stuck or stopped";
    }
    if (says("timed out")) {
      return where.startsWith("rediss://")
          ? ": it does not answer to TLS; use redis:// without TLS, or check the port"
          : ": it takes connections and does not answer; check the port, and whether it wants TLS"
              + " (rediss://)";
    }
    return ": " + innermost();
  }

  /** What is not known above is told in the words of whoever noticed it. */
  private String innermost() {
    Throwable last = cause;
    for (Throwable each = cause; each != null && each != each.getCause(); each = each.getCause()) {
      if (each.getMessage() != null && !each.getMessage().isBlank()) {
        last = each;
      }
    }
    String said = last.getMessage();
    return said == null || said.isBlank()
        ? last.getClass().getSimpleName()
        : said.strip().lines().findFirst().orElseThrow();
  }

  private boolean is(Class<? extends Throwable> type) {
    return find(cause, type::isInstance).isPresent();
  }

  private boolean says(String... texts) {
    return find(
            cause,
            each -> {
              String said = each.toString();
              for (String text : texts) {
                if (said.contains(text)) {
                  return true;
                }
              }
              return false;
            })
        .isPresent();
  }

  /** Returns the first such error among an error, its causes, and what they suppressed. */
  public static Optional<Throwable> find(Throwable error, Predicate<Throwable> so) {
    Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Throwable> next = new ArrayDeque<>();
    next.add(error);
    while (!next.isEmpty()) {
      Throwable each = next.remove();
      if (!seen.add(each)) {
        continue;
      }
      if (so.test(each)) {
        return Optional.of(each);
      }
      if (each.getCause() != null) {
        next.add(each.getCause());
      }
      Collections.addAll(next, each.getSuppressed());
    }
    return Optional.empty();
  }
}
