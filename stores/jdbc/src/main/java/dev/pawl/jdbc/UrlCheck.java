package dev.pawl.jdbc;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is refused of a JDBC URL before its driver sees it, each in one line with what to write. */
final class UrlCheck {

  /** The hosts of a URL, with whatever stands before them. */
  private static final Pattern AUTHORITY = Pattern.compile("^jdbc:[a-z0-9:]+//([^?;]*)");

  private static final Pattern PORT = Pattern.compile(":(\\d+)(?=[,/]|$)");
  private static final int MOST_PORT = 65_535;

  private UrlCheck() {}

  static void check(String url, SqlDatabase database) {
    checkShared(url);
    Matcher authority = AUTHORITY.matcher(url);
    if (database == SqlDatabase.SQLITE || !authority.find()) {
      return;
    }
    String hosts = authority.group(1);
    // MySQL's driver takes it; the others would show it as a part of the host.
    if (hosts.contains("@") && database != SqlDatabase.MYSQL) {
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

  /** Refuses a database that its own users do not share. */
  private static void checkShared(String url) {
    if (url.startsWith("jdbc:sqlite::memory:") || url.equals("jdbc:sqlite:")) {
      throw new IllegalArgumentException(
          "a SQLite database in memory is seen by one connection only: name a file, or use memory:");
    }
    if (url.startsWith("jdbc:h2:") && url.toUpperCase(Locale.ROOT).contains(";FILE_LOCK=NO")) {
      throw new IllegalArgumentException(
          "with FILE_LOCK=NO several processes open one H2 file, do not see each other's locks, and"
              + " spoil the file: leave it out, and add AUTO_SERVER=TRUE for several processes");
    }
  }

  /** Returns what to throw where no driver took the URL: there is none, or the URL is wrong. */
  static IllegalArgumentException noDriver(String url, SqlDatabase database) {
    String place = Secrets.place(url);
    boolean there = false;
    try {
      Class.forName(database.driverClass(), false, UrlCheck.class.getClassLoader());
      there = url.startsWith("jdbc:" + database.name().toLowerCase(Locale.ROOT) + ":");
    } catch (ClassNotFoundException e) {
      // Then it is to be added.
    }
    return new IllegalArgumentException(
        there
            ? "the driver does not understand " + place + "; it must be like " + database.form()
            : "no JDBC driver on the class path for " + place + "; add " + database.driver());
  }
}
