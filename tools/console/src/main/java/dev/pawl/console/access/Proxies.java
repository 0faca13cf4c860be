package dev.pawl.console.access;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.List;
import java.util.Locale;

/**
 * Reverse proxies that are believed when they say for whom they ask ({@code X-Forwarded-For}), and
 * that the browser speaks TLS with them ({@code X-Forwarded-Proto}). Anybody else can write these
 * headers, too.
 */
public record Proxies(List<AddressRange> listed) {

  /** None: nobody is believed. */
  public static final Proxies NONE = new Proxies(List.of());

  /** Copies the list. */
  public Proxies {
    listed = List.copyOf(listed);
  }

  /** Tells whether a request comes from one of them. */
  boolean sent(HttpServletRequest http) {
    return isListed(http.getRemoteAddr());
  }

  private boolean isListed(String address) {
    return listed.stream().anyMatch(range -> range.contains(address));
  }

  /** Tells whether the browser's connection is encrypted, up to here or up to a proxy. */
  boolean isSecure(HttpServletRequest http) {
    if (http.isSecure() || !sent(http)) {
      return http.isSecure();
    }
    List<String> values = Collections.list(http.getHeaders("X-Forwarded-Proto"));
    return values.size() == 1 && values.get(0).strip().toLowerCase(Locale.ROOT).equals("https");
  }

  /** Returns the address that asks: the last one that a proxy names and that is none of them. */
  String client(HttpServletRequest http) {
    String client = http.getRemoteAddr();
    if (!sent(http)) {
      return client;
    }
    String[] named =
        String.join(",", Collections.list(http.getHeaders("X-Forwarded-For"))).split(",", -1);
    for (int i = named.length - 1; i >= 0 && isListed(client); i--) {
      String next = named[i].strip();
      if (!AddressRange.isLiteral(next)) {
        break;
      }
      client = next;
    }
    return client;
  }
}
