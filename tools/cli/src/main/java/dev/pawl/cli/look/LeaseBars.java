package dev.pawl.cli.look;

import dev.pawl.LockInfo;
import dev.pawl.cli.shell.Durations;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Bars that show how much of each lease is left. A store does not tell how long a lease is; the
 * most that was seen of it is near.
 */
final class LeaseBars {

  private static final int WIDTH = 10;

  private Map<String, Duration> longest = new HashMap<>();

  /** Takes note of the leases, and forgets those that are over. */
  void see(List<LockInfo> locks) {
    Map<String, Duration> seen = new HashMap<>();
    for (LockInfo lock : locks) {
      for (LockInfo.Holder holder : lock.holders()) {
        Duration before = longest.getOrDefault(holder.claim(), Duration.ZERO);
        seen.put(holder.claim(), holder.left().compareTo(before) > 0 ? holder.left() : before);
      }
    }
    longest = seen;
  }

  String bar(LockInfo.Holder holder) {
    long whole = longest.getOrDefault(holder.claim(), holder.left()).toMillis();
    long full = whole <= 0 ? 0 : Math.round((double) WIDTH * holder.left().toMillis() / whole);
    int filled = (int) Math.max(0, Math.min(WIDTH, full));
    return "█".repeat(filled) + "░".repeat(WIDTH - filled) + " " + Durations.format(holder.left());
  }
}
