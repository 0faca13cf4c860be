package dev.pawl.cli.look;

import dev.pawl.Inspector;
import dev.pawl.LockInfo;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that choose among the locks of a store, and their order. */
final class LockFilter {

  /** What is chosen among after it was read: more than are ever in use. */
  private static final int ALL = 1_000_000;

  @Option(
      names = {"-a", "--all"},
      description = "Also show idle names, which nobody holds or waits for; they come last.")
  private boolean all;

  @Option(names = "--held", description = "Show only names that somebody holds.")
  private boolean held;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      description = "Show only what a node on that host holds or waits for.")
  private @Nullable String host;

  @Option(
      names = "--label",
      paramLabel = "TEXT",
      description = "Show only what a node with that text in its label holds or waits for.")
  private @Nullable String label;

  @Option(
      names = "--sort",
      paramLabel = "ORDER",
      defaultValue = "name",
      description =
          "By ${COMPLETION-CANDIDATES} (default: name). Held: the longest first; lease: the one that"
              + " expires next first; waiting: the most first.")
  private LockOrder order = LockOrder.NAME;

  boolean isAll() {
    return all;
  }

  /** Tells whether some of the names in use are left out on purpose. */
  boolean isChoosing() {
    return held || host != null || label != null;
  }

  /** Returns the locks that begin so, as many as are asked for, those in use first. */
  List<LockInfo> find(Inspector inspector, String prefix, int asked) {
    boolean choosing = isChoosing() || order != LockOrder.NAME;
    List<LockInfo> found =
        new ArrayList<>(
            inspector.listInUse(prefix, choosing ? ALL : asked).stream()
                .filter(this::admits)
                .sorted(order.comparator())
                .limit(asked)
                .toList());
    if (all && !isChoosing() && found.size() < asked) {
      inspector.list(prefix, asked).stream()
          .filter(LockWords::isFree)
          .limit(asked - found.size())
          .forEach(found::add);
    }
    return found;
  }

  private boolean admits(LockInfo lock) {
    return (!held || !lock.holders().isEmpty())
        && (host == null || anyLabel(lock, each -> LockWords.host(each).equals(host)))
        && (label == null || anyLabel(lock, each -> each.contains(label)));
  }

  private static boolean anyLabel(LockInfo lock, Predicate<String> test) {
    return Stream.concat(
            lock.holders().stream().map(LockInfo.Holder::label),
            lock.waiters().stream().map(LockInfo.Waiter::label))
        .anyMatch(test);
  }
}
