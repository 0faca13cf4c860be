package dev.pawl.console.watch;

import dev.pawl.Inspector;
import dev.pawl.LockInfo;
import dev.pawl.spi.LockStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the names in use. One thread at a time uses it. */
final class LocksReader {

  /** More than anybody scrolls through. */
  static final int MOST_NAMES = 20_000;

  /** An end that moves by less than this has not been renewed: two clocks are read at two times. */
  private static final Duration JITTER = Duration.ofMillis(400);

  private final StoreTime time = new StoreTime();
  private Map<String, LockRow.Held> before = new HashMap<>();

  Locks read(Inspector inspector, LockStore store) {
    try {
      Instant now = time.now(store);
      List<LockInfo> found = inspector.listInUse("", MOST_NAMES + 1);
      // As of the middle of the listing, about.
      Instant then = time.now(store);
      Instant at = now.plus(Duration.between(now, then).dividedBy(2));
      boolean more = found.size() > MOST_NAMES;
      Map<String, LockRow.Held> seen = new HashMap<>();
      List<LockRow> rows = new ArrayList<>(found.size());
      for (LockInfo lock : more ? found.subList(0, MOST_NAMES) : found) {
        rows.add(row(lock, at, seen));
      }
      before = seen;
      return new Locks(then, rows, more);
    } catch (RuntimeException e) {
      time.forget();
      throw e;
    }
  }

  /** Returns what is known of one name, in use or not. */
  LockRow row(LockInfo lock, Instant now, Map<String, LockRow.Held> seen) {
    List<LockRow.Held> holders = new ArrayList<>(lock.holders().size());
    for (LockInfo.Holder holder : lock.holders()) {
      String key = holder.claim() + " " + lock.name();
      LockRow.Held held = held(holder, now, before.get(key));
      seen.put(key, held);
      holders.add(held);
    }
    List<LockRow.Waiting> waiters = lock.waiters().stream().map(LockRow.Waiting::of).toList();
    return new LockRow(lock.name(), holders, waiters);
  }

  private static LockRow.Held held(
      LockInfo.Holder holder, Instant now, LockRow.@Nullable Held known) {
    Instant expires = now.plus(holder.left());
    Duration lease = holder.left();
    if (known != null && known.token() == holder.token()) {
      if (Duration.between(known.expires(), expires).abs().compareTo(JITTER) < 0) {
        expires = known.expires();
      }
      lease = lease.compareTo(known.lease()) > 0 ? rounded(lease) : known.lease();
    } else {
      lease = rounded(lease);
    }
    return new LockRow.Held(
        holder.claim(),
        LockRow.nodeOf(holder.claim()),
        holder.label(),
        Caller.parse(holder.actor()),
        holder.exclusive(),
        holder.permits(),
        holder.token(),
        holder.since(),
        expires,
        lease);
  }

  /** Leases are made of whole seconds, most of the time; what is seen of one is a little less. */
  private static Duration rounded(Duration left) {
    return Duration.ofSeconds(Math.max(1, (left.toMillis() + 999) / 1_000));
  }
}
