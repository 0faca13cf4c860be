package dev.pawl.cli.look;

import dev.pawl.cli.shell.Refusal;
import dev.pawl.cli.shell.Screen;
import java.util.List;
import picocli.CommandLine.Option;

/** The option that bounds a list. */
final class LimitOption {

  private static final int MOST = 1_000_000;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description = "Show that many at most (default: ${DEFAULT-VALUE}).")
  private int limit;

  /** Returns how many to ask for: one more than are shown tells whether there are more. */
  int asked() {
    if (limit < 1 || limit > MOST) {
      throw Refusal.usage("--limit is " + limit + "; allowed is 1 to " + MOST);
    }
    return limit + 1;
  }

  boolean isExceededBy(List<?> found) {
    return found.size() > limit;
  }

  <T> List<T> cut(List<T> found) {
    return isExceededBy(found) ? found.subList(0, limit) : found;
  }

  /** Says that there are more, where there are. */
  void remark(Screen screen, List<?> found, String what) {
    if (isExceededBy(found)) {
      screen.remark(
          "there are more than these %d %s; --limit shows more of them".formatted(limit, what));
    }
  }
}
