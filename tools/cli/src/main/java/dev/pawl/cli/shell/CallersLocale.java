package dev.pawl.cli.shell;

import java.util.Map;

/**
 * The locale of whoever called {@code ./pawl}, which gives the JVM one with UTF-8 where it has
 * none.
 */
public final class CallersLocale {

  private static final String KEPT = "PAWL_LC_ALL";
  private static final String USED = "LC_ALL";

  private CallersLocale() {}

  /** Puts it back into the environment of a command to run. */
  public static void restore(Map<String, String> environment) {
    String kept = environment.remove(KEPT);
    if (kept == null) {
      return;
    }
    if (kept.isEmpty()) {
      environment.remove(USED);
    } else {
      environment.put(USED, kept);
    }
  }
}
