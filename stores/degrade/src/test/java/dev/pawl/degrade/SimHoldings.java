package dev.pawl.degrade;

import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.HeldLease;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Who believes to hold what in a {@link PairSimulation}, over both stores: never more than a name
 * has (I2), with tokens that rise (I3), and no tick again that was said to have run.
 */
final class SimHoldings {

  /** The permits of the semaphore. */
  static final int CAPACITY = 3;

  /** More than all who share a name. */
  private static final int WHOLE = 1_000;

  /** A lease that somebody was given. */
  private record Given(SimPairNode node, HeldLease lease, int weight) {}

  /** What somebody knows when he asks: what he is given must be above it. */
  record Before(long any, long exclusive) {}

  private final Consumer<String> violated;
  private final Map<String, List<Given>> given = new HashMap<>();
  private final Map<String, Long> highest = new HashMap<>();
  private final Map<String, Long> highestExclusive = new HashMap<>();
  private long latestRan;
  int grants;
  int ran;

  SimHoldings(Consumer<String> violated) {
    this.violated = violated;
  }

  private static boolean isAlone(Request request) {
    return request.isAlone();
  }

  private static int weight(Request request) {
    return isAlone(request) ? WHOLE : request.permits();
  }

  Before before(String name) {
    return new Before(highest.getOrDefault(name, 0L), highestExclusive.getOrDefault(name, 0L));
  }

  void onGranted(SimPairNode node, Request request, Before before, HeldLease lease) {
    grants++;
    String name = request.name();
    given
        .computeIfAbsent(name, key -> new ArrayList<>())
        .add(new Given(node, lease, weight(request)));
    check(name, request.capacity());
    // Those who share a name may share a claim, and its token.
    long below = isAlone(request) ? before.any() : before.exclusive();
    if (lease.token() <= below) {
      violated.accept("I3: token " + lease.token() + " of " + name + " is not above " + below);
    }
    highest.merge(name, lease.token(), Math::max);
    if (isAlone(request)) {
      highestExclusive.merge(name, lease.token(), Math::max);
    }
    if (request.mark().isPresent() && request.mark().getAsLong() <= latestRan) {
      violated.accept(
          "tick " + request.mark().getAsLong() + " runs again; " + latestRan + " was said to have");
    }
  }

  void onEnded(String name, HeldLease lease) {
    given.get(name).removeIf(one -> one.lease() == lease);
  }

  /** Somebody was told that a tick has run. */
  void onRan(long tick) {
    ran++;
    latestRan = Math.max(latestRan, tick);
  }

  /** Looks at all of it: what has ended does not come back to life. */
  void check() {
    given.keySet().forEach(name -> check(name, name.equals("sem") ? CAPACITY : WHOLE));
  }

  private void check(String name, int capacity) {
    int most = Math.min(capacity, WHOLE);
    int held = 0;
    for (Given one : given.get(name)) {
      held += !one.node().dead && one.lease().isHeld() ? one.weight() : 0;
    }
    if (held > most) {
      violated.accept("I2: " + held + " of " + most + " of " + name + " are believed to be held");
    }
  }
}
