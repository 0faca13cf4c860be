package dev.pawl.cli.shell;

import java.time.Duration;
import java.util.Locale;

/** Durations as people read them: the two largest units. */
public final class Durations {

  private Durations() {}

  /** Returns such as {@code 250ms}, {@code 4.2s}, {@code 1m30s}, {@code 2h05m}, {@code 3d04h}. */
  public static String format(Duration duration) {
    long millis = Math.max(0, duration.toMillis());
    long seconds = millis / 1_000;
    if (millis < 1_000) {
      return millis + "ms";
    }
    if (seconds < 60) {
      return String.format(Locale.ROOT, "%.1fs", Math.floor(millis / 100.0) / 10);
    }
    if (seconds < 3_600) {
      return String.format(Locale.ROOT, "%dm%02ds", seconds / 60, seconds % 60);
    }
    if (seconds < 86_400) {
      return String.format(Locale.ROOT, "%dh%02dm", seconds / 3_600, seconds / 60 % 60);
    }
    return String.format(Locale.ROOT, "%dd%02dh", seconds / 86_400, seconds / 3_600 % 24);
  }
}
