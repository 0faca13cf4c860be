package dev.pawl.jdbc.connect;

import dev.pawl.jdbc.dialect.Dialect;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is refused of a JDBC URL before its driver sees it, each in one line with what to write. */
final class UrlCheck {

  /** The hosts of a URL, with whatever stands before them. */
  private static final Pattern AUTHORITY = Pattern.compile("^jdbc:[a-z0-9:]+//([^?;]*)");

  private static final Pattern PORT = Pattern.compile(":(\\d+)(?=[,/]|$)");
  private static final int MOST_PORT = 65_535;

  private UrlCheck() {}

  static void check(String url, Dialect dialect) {
    dialect.checkUrl(url);
    Matcher authority = AUTHORITY.matcher(url);
    if (!dialect.hasHosts() || !authority.find()) {
      return;
    }
    String hosts = authority.group(1);
    // Drivers that do not take it would show it as a part of the host.
    if (hosts.contains("@") && !dialect.takesUserBeforeHost()) {
      String scheme = url.substring(0, url.indexOf("//"));
      throw new IllegalArgumentException(
          scheme
              + "//user:…@host: the driver takes no user and password before the host; write "
              + scheme
              + "//host/db?user=…&password=…");
    }
    Matcher port = PORT.matcher(hosts.substring(hosts.lastIndexOf('@') + 1));
    while (port.find()) {
      if (port.group(1).length() > 5 || Integer.parseInt(port.group(1)) > MOST_PORT) {
        throw new IllegalArgumentException(
            Secrets.place(url)
                + ": port "
                + port.group(1)
                + " is out of range; allowed is 1 to "
                + MOST_PORT);
      }
    }
  }

  /** Returns what to throw where no driver took the URL: there is none, or the URL is wrong. */
  static IllegalArgumentException noDriver(String url, Dialect dialect) {
    String place = Secrets.place(url);
    boolean there = false;
    try {
      Class.forName(dialect.driverClass(), false, UrlCheck.class.getClassLoader());
      there = url.startsWith(dialect.scheme());
    } catch (ClassNotFoundException e) {
      // Then it is to be added.
    }
    return new IllegalArgumentException(
        there
            ? "the driver does not understand " + place + "; it must be like " + dialect.form()
            : "no JDBC driver on the class path for " + place + "; add " + dialect.driver());
  }
}
