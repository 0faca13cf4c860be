package dev.pawl.jdbc.wake;

import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.dialect.LeaseRecord;
import dev.pawl.jdbc.wake.Changes.Seen;
import dev.pawl.jdbc.wake.Signals.Waiting;
import dev.pawl.machine.LockState;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Signal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A look at the records of all names that somebody here waits for, of which only those come back
 * that have changed. Whoever was granted its name is told, and need not ask.
 */
public final class WaiterCheck {

  private static final int CHUNK = 100;

  private final Signals signals;
  private final Connections connections;
  private final Changes changes;

  /** Returns a look at those who wait. */
  public WaiterCheck(Signals signals, Connections connections, Changes changes) {
    this.signals = signals;
    this.connections = connections;
    this.changes = changes;
  }

  /** Looks; returns the claims that were told that they no longer wait. */
  public Set<ClaimId> look() {
    Map<String, List<Waiting>> waiting = signals.waiting();
    List<String> names = new ArrayList<>(waiting.keySet());
    Set<ClaimId> told = new HashSet<>();
    for (int from = 0; from < names.size(); from += CHUNK) {
      List<Seen> seen = new ArrayList<>();
      for (String name : names.subList(from, Math.min(names.size(), from + CHUNK))) {
        long known =
            waiting.getOrDefault(name, List.of()).stream()
                .mapToLong(Waiting::version)
                .min()
                .orElse(0);
        seen.add(new Seen(name, known));
      }
      Map<String, LeaseRecord> changed = connections.read("poll", c -> changes.since(c, seen));
      for (Map.Entry<String, LeaseRecord> each : changed.entrySet()) {
        Map<ClaimId, LockState.Waiter> queue = new HashMap<>();
        each.getValue().state().queue().forEach(waiter -> queue.put(waiter.claim(), waiter));
        for (Waiting waiter : waiting.getOrDefault(each.getKey(), List.of())) {
          if (tell(each.getKey(), each.getValue(), queue, waiter)) {
            told.add(waiter.claim());
          }
        }
      }
    }
    return told;
  }

  private boolean tell(
      String name, LeaseRecord record, Map<ClaimId, LockState.Waiter> queue, Waiting waiter) {
    LockState.Waiter queued = queue.get(waiter.claim());
    if (queued != null) {
      signals.onSeen(waiter, record.version(), queued.isFar(record.nowMicros()));
      return false;
    }
    if (!signals.onSettled(waiter.claim())) {
      return false; // It was told while this looked.
    }
    Signal signal = new Signal.Changed(name);
    for (LockState.Holder holder : record.state().holders()) {
      if (holder.claim().equals(waiter.claim())) {
        signal = new Signal.Granted(name, record.grant(holder));
      }
    }
    signals.deliver(waiter.claim().node(), signal);
    return true;
  }
}
