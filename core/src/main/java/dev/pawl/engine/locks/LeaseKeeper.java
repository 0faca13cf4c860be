package dev.pawl.engine.locks;

import dev.pawl.engine.time.Timed;
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

  /** The shards of which something is to be renewed, or is under way. */
  private final ConcurrentMap<String, RenewalLine> lines = new ConcurrentHashMap<>();

  /** What the wake-up under way wants renewed; timers are fired by one thread at a time. */
  private List<Renewal> round = new ArrayList<>();

  LeaseKeeper(Engine engine) {
    this.engine = engine;
  }

  /** Has something renewed with the others that are due; called while timers fire. */
  void add(LocalClaim claim, Command.Renew command) {
    round.add(new Renewal(claim, command));
  }

  void onDue(List<Timed> due) {
    long now = engine.now();
    round = new ArrayList<>();
    for (Timed timed : due) {
      try {
        timed.fire(now);
      } catch (Throwable e) { // An error, too: the others are due all the same.
        engine.platform().bugs().accept(e);
      }
    }
    inCalls(round, now)
        .forEach(
            (shard, calls) ->
                lines.computeIfAbsent(shard, key -> new RenewalLine(engine)).add(calls));
    lines.values().forEach(RenewalLine::advance);
    lines.values().removeIf(RenewalLine::isIdle);
  }

  private record Renewal(LocalClaim claim, Command.Renew command) {}

  /**
   * Returns calls for each shard. The claims on one name stand together, so that a store reads and
   * writes the name once for all of them.
   */
  private Map<String, List<RenewalCall>> inCalls(List<Renewal> renewals, long now) {
    renewals.sort(Comparator.comparing(renewal -> renewal.command().name()));
    Map<String, List<RenewalCall>> shards = new LinkedHashMap<>();
    for (Renewal renewal : renewals) {
      String shard = shard(renewal.command().name());
      List<RenewalCall> calls = shards.computeIfAbsent(shard, key -> new ArrayList<>());
      if (calls.isEmpty() || calls.get(calls.size() - 1).isFull()) {
        calls.add(new RenewalCall(now));
      }
      calls.get(calls.size() - 1).add(renewal.claim(), renewal.command());
    }
    return shards;
  }

  /** A store that cannot tell, such as one whose client was shut down, says so to the call. */
  private String shard(String name) {
    try {
      return engine.store().shard(name);
    } catch (RuntimeException | Error e) {
      return "";
    }
  }
}
