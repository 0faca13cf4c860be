package dev.pawl.console;

import dev.pawl.console.access.AddressRange;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Under which names the console may be asked for. A page of somebody else can have its own name
 * point to this machine (DNS rebinding); then the browser asks for that name, and is refused. An
 * address cannot be pointed elsewhere.
 */
public final class Hosts {

  private static final Pattern FORM =
      Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]+)(?::\\d{1,5})?");

  private final boolean any;
  private final Set<String> names;

  private Hosts(boolean any, Set<String> names) {
    this.any = any;
    this.names = names;
  }

  /** Returns all: the server of the application that mounts the console checks it, or does not. */
  public static Hosts any() {
    return new Hosts(true, Set.of());
  }

  /** Returns these names, {@code localhost}, and addresses. */
  public static Hosts of(Set<String> names) {
    return new Hosts(
        false,
        names.stream()
            .map(name -> name.toLowerCase(Locale.ROOT))
            .collect(java.util.stream.Collectors.toUnmodifiableSet()));
  }

  boolean allows(@Nullable String header) {
    if (any) {
      return true;
    }
    Matcher matcher = FORM.matcher(header == null ? "" : header);
    if (!matcher.matches()) {
      return false;
    }
    String host = matcher.group(1).toLowerCase(Locale.ROOT);
    return host.equals("localhost") || names.contains(host) || AddressRange.isLiteral(host);
  }
}
