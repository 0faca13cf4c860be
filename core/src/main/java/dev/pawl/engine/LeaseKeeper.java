package dev.pawl.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * Does what is due: fires timers and sends the renewals and polls that come of it, together for
 * each shard, and each call on its own (I9).
 */
final class LeaseKeeper {

  private final Engine engine;

  /** The shards that were ever asked to renew something; there are few. */
  private final ConcurrentMap<String, RenewalLine> lines = new ConcurrentHashMap<>();

  LeaseKeeper(Engine engine) {
    this.engine = engine;
  }

  void onDue(List<Timed> due) {
    Map<String, List<RenewalCall>> made = new LinkedHashMap<>();
    long now = engine.now();
    RenewalBatch batch =
        (claim, command) -> {
          String shard = engine.store().shard(command.name());
          List<RenewalCall> calls = made.computeIfAbsent(shard, key -> new ArrayList<>());
          if (calls.isEmpty() || calls.get(calls.size() - 1).isFull()) {
            calls.add(new RenewalCall(now));
          }
          calls.get(calls.size() - 1).add(claim, command);
        };
    for (Timed timed : due) {
      try {
        timed.fire(now, batch);
      } catch (Throwable e) { // An error, too: the others are due all the same.
        engine.platform().bugs().accept(e);
      }
    }
    made.forEach(
        (shard, calls) -> lines.computeIfAbsent(shard, key -> new RenewalLine(engine)).add(calls));
    lines.values().forEach(RenewalLine::advance);
  }
}
