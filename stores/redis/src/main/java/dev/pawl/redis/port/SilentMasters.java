package dev.pawl.redis.port;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/** The masters of a cluster, each with its gate: a client that blocks has few threads for all. */
public final class SilentMasters {

  private final ConcurrentMap<String, SilenceGate> masters = new ConcurrentHashMap<>();

  /** Begins a call, which {@link #end} is to end; false if it is not to be made. */
  public boolean begin(String master) {
    return gate(master).begin();
  }

  /** Ends a call whose result is there. */
  public void end(String master, CompletionStage<?> result) {
    var unused = result.whenComplete((value, error) -> gate(master).end(error));
  }

  private SilenceGate gate(String master) {
    return masters.computeIfAbsent(master, key -> new SilenceGate());
  }
}
