package dev.pawl.engine;

import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.Comparator;
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
    long now = engine.now();
    List<Renewal> renewals = new ArrayList<>();
    for (Timed timed : due) {
      try {
        timed.fire(now, (claim, command) -> renewals.add(new Renewal(claim, command)));
      } catch (Throwable e) { // An error, too: the others are due all the same.
        engine.platform().bugs().accept(e);
      }
    }
    inCalls(renewals, now)
        .forEach(
            (shard, calls) ->
                lines.computeIfAbsent(shard, key -> new RenewalLine(engine)).add(calls));
    lines.values().forEach(RenewalLine::advance);
  }

  private record Renewal(Claim claim, Command.Renew command) {}

  /**
   * Returns calls for each shard. The claims on one name stand together, so that a store reads and
   * writes the name once for all of them.
   */
  private Map<String, List<RenewalCall>> inCalls(List<Renewal> renewals, long now) {
    renewals.sort(Comparator.comparing(renewal -> renewal.command().name()));
    Map<String, List<RenewalCall>> shards = new LinkedHashMap<>();
    for (Renewal renewal : renewals) {
      String shard = engine.store().shard(renewal.command().name());
      List<RenewalCall> calls = shards.computeIfAbsent(shard, key -> new ArrayList<>());
      if (calls.isEmpty() || calls.get(calls.size() - 1).isFull()) {
        calls.add(new RenewalCall(now));
      }
      calls.get(calls.size() - 1).add(renewal.claim(), renewal.command());
    }
    return shards;
  }
}
