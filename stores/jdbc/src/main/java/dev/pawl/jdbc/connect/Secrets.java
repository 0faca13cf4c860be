package dev.pawl.jdbc.connect;

import java.util.regex.Pattern;

/** What must not be shown to people: passwords in URLs and in what drivers say about them. */
public final class Secrets {

  /** {@code password=…} and its relatives, up to what separates parameters. */
  private static final Pattern PARAMETER =
      Pattern.compile(
          "(?i)([a-z0-9_.]*(?:password|passwd|pwd|secret|token|key)[a-z0-9_.]*\\s*[=:]\\s*)[^&;\\s,)\"']*");

  /** {@code //user:password@host}, even with a slash in the password. */
  private static final Pattern AUTHORITY = Pattern.compile("//[^\\s?\"']*@");

  private Secrets() {}

  /** Returns the text without secrets. */
  public static String hide(String text) {
    return AUTHORITY.matcher(PARAMETER.matcher(text).replaceAll("$1***")).replaceAll("//***@");
  }

  /** Returns the part of a JDBC URL that people may see: no parameters, no user. */
  public static String place(String url) {
    int end = url.length();
    for (char separator : new char[] {'?', ';'}) {
      int at = url.indexOf(separator);
      end = at < 0 ? end : Math.min(end, at);
    }
    return hide(url.substring(0, end));
  }
}
