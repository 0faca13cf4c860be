package dev.pawl.engine;

import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Claim;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Pace;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Calls;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.BiConsumer;

/**
 * One run of several nodes with the real engine on a simulated network and store, all faults chosen
 * by the seed, and the invariants checked after every event.
 */
final class Simulation {

  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** What a run is like. */
  record Setup(
      int nodes,
      int usersPerNode,
      int names,
      long lastsNanos,
      SimNetwork.Faults faults,
      boolean pauses,
      boolean kills,
      boolean outages,
      double serverRate,
      double nodeRateSpread) {

    Setup with(SimNetwork.Faults other) {
      return new Setup(
          nodes,
          usersPerNode,
          names,
          lastsNanos,
          other,
          false,
          false,
          false,
          serverRate,
          nodeRateSpread);
    }

    Setup withServerRate(double rate) {
      return new Setup(
          nodes,
          usersPerNode,
          names,
          lastsNanos,
          faults,
          pauses,
          kills,
          outages,
          rate,
          nodeRateSpread);
    }

    static Setup rough() {
      return new Setup(
          3,
          3,
          2,
          40 * SECOND,
          new SimNetwork.Faults(4, 4, 15, 50, 3),
          true,
          true,
          true,
          1.0,
          0.004);
    }
  }

  /** A lease somebody was given, with what the checks need to know of it. */
  private static final class Given {
    final SimNode node;
    final HeldLease lease;
    final boolean exclusive;
    boolean told;

    Given(SimNode node, HeldLease lease, boolean exclusive) {
      this.node = node;
      this.lease = lease;
      this.exclusive = exclusive;
    }
  }

  private final World world;
  private final Setup setup;
  private final SimServer server;
  private final Map<String, SimNode> nodes = new HashMap<>();
  private final Map<String, List<Given>> given = new HashMap<>();
  private final Map<String, Long> highestToken = new HashMap<>();
  private final Map<ClaimId, Integer> passes = new HashMap<>();
  private boolean quiet;
  long calls;
  long grants;
  long losses;
  int open;

  Simulation(long seed, Setup setup) {
    this(seed, setup, SimServer::new);
  }

  /** Makes the server, which a test may break. */
  interface Servers {
    SimServer make(World world, double rate, BiConsumer<String, ClaimId> onGrant);
  }

  Simulation(long seed, Setup setup, Servers servers) {
    this.world = new World(seed);
    this.setup = setup;
    this.server = servers.make(world, setup.serverRate(), this::onStoreGrant);
    for (int i = 0; i < setup.nodes(); i++) {
      double spread = setup.nodeRateSpread();
      double rate = 1 - spread + 2 * spread * world.random.nextDouble();
      SimNode node = new SimNode(world, server, "n" + i, rate, setup.faults());
      nodes.put(node.id, node);
      for (int user = 0; user < setup.usersPerNode(); user++) {
        world.in(world.between(0, SECOND), () -> act(node));
      }
    }
    server.signals = (id, signal) -> node(id).signal(signal);
    world.in(world.between(SECOND, 3 * SECOND), this::strike);
  }

  private SimNode node(String id) {
    SimNode node = nodes.get(id);
    if (node == null) {
      throw new AssertionError("a signal for " + id);
    }
    return node;
  }

  /** Runs it; returns the first violation. */
  Optional<String> violation() {
    try {
      run();
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      return Optional.of(e.toString());
    }
  }

  /** Runs to the end, lets everything come to rest, and checks that nothing is left (I8, I10). */
  private void run() {
    long end = world.now() + setup.lastsNanos();
    while (world.step(end)) {
      checkBeliefs();
    }
    quiet = true;
    for (SimNode node : nodes.values()) {
      node.network.faults = SimNetwork.Faults.NONE;
      node.network.outageUntil = 0;
    }
    long rest = end + 100 * SECOND;
    while (world.step(rest)) {
      checkBeliefs();
    }
    if (open > 0) {
      throw new AssertionError("I8: " + open + " calls have not ended");
    }
    for (SimNode node : nodes.values()) {
      if (!node.isDead()
          && (!node.engine.namesInUse().isEmpty() || node.engine.timers().size() > 0)) {
        throw new AssertionError(
            "I10: "
                + node.id
                + " is left with "
                + node.engine.namesInUse().size()
                + " queues and "
                + node.engine.timers().size()
                + " timers");
      }
    }
  }

  // What the users do.

  private void act(SimNode node) {
    if (!quiet && !node.isDead()) {
      node.run(() -> call(node));
    }
  }

  private void call(SimNode node) {
    String name = "name-" + world.random.nextInt(setup.names());
    boolean exclusive = !world.chance(20);
    LockOptions options =
        LockOptions.DEFAULT
            .withLease(Duration.ofMillis(world.chance(50) ? 2_000 : 5_000))
            .withRenewal(!world.chance(20))
            .withFair(!world.chance(20));
    Request request =
        exclusive
            ? Request.exclusive(name, options)
            : new Request(name, 1, Command.EVERYTHING, options, OptionalLong.empty());
    long wait = world.chance(20) ? 0 : world.between(10 * MILLI, 8 * SECOND);
    long before = highestToken.getOrDefault(name, 0L);
    Caller caller = new Caller(request, null, false, node.engine.now(), wait);
    calls++;
    open++;
    boolean[] ended = {false};
    node.engine
        .link()
        .whenDone(
            caller.outcome,
            (outcome, error) -> {
              ended[0] = true;
              open--;
              onOutcome(node, name, exclusive, before, outcome);
            });
    node.engine.start(caller, false);
    if (world.chance(5)) {
      world.in(
          world.between(0, 2 * SECOND),
          () -> node.run(() -> new Calls(node.engine).giveUp(caller)));
    }
    watchTheEnd(node, ended, wait, node.pausedNanos);
  }

  /** A call ends within its wait, the time a silent store is borne, and its node's pauses (I8). */
  private void watchTheEnd(SimNode node, boolean[] ended, long wait, long pausedBefore) {
    world.in(
        wait + 5 * SECOND,
        () -> {
          long paused = node.pausedNanos - pausedBefore;
          if (node.isDead()) {
            open -= ended[0] ? 0 : 1;
          } else if (!ended[0] && paused > 0) {
            watchTheEnd(node, ended, paused, node.pausedNanos);
          } else if (!ended[0]) {
            world.violated(
                "I8: a call of "
                    + node.id
                    + " is open 5 s after its time, "
                    + wait / MILLI
                    + " ms");
          }
        });
  }

  private void onOutcome(
      SimNode node, String name, boolean exclusive, long before, CallResult outcome) {
    if (!(outcome instanceof CallResult.Held held)) {
      world.in(world.between(0, SECOND), () -> act(node));
      return;
    }
    grants++;
    HeldLease lease = held.lease();
    Given mine = new Given(node, lease, exclusive);
    lease.onLost(
        () -> {
          mine.told = true;
          losses++;
        });
    given.computeIfAbsent(name, key -> new ArrayList<>()).add(mine);
    if (exclusive) {
      if (lease.token() <= before) {
        world.violated("I3: token " + lease.token() + " of " + name + " is not above " + before);
      }
      highestToken.merge(name, lease.token(), Math::max);
    }
    checkPass(lease);
    long hold =
        world.chance(60)
            ? world.between(0, 5 * MILLI)
            : world.chance(80)
                ? world.between(5 * MILLI, 500 * MILLI)
                : world.between(SECOND, 8 * SECOND);
    world.in(
        hold,
        () ->
            node.run(
                () -> {
                  var unused = node.engine.releaseAsync(lease);
                  given.getOrDefault(name, new ArrayList<>()).remove(mine);
                  world.in(world.between(0, 300 * MILLI), () -> act(node));
                }));
  }

  // The checks.

  private void checkPass(HeldLease lease) {
    Claim claim = lease.claim();
    int count = passes.merge(claim.id, 1, Integer::sum);
    long after = lease.sinceNanos - claim.grantedNanos();
    if (count > 65 || (count > 1 && after > Pace.PASS_NANOS)) {
      world.violated("I7: pass " + count + " of " + claim.id + " after " + after + " ns");
    }
  }

  /** Nobody believes to hold what another believes to hold (I2), asked at every moment. */
  private void checkBeliefs() {
    given.forEach(
        (name, leases) -> {
          int exclusive = 0;
          int shared = 0;
          for (Given mine : leases) {
            if (mine.lease.isHeld() && !mine.node.isDead()) {
              exclusive += mine.exclusive ? 1 : 0;
              shared += mine.exclusive ? 0 : 1;
            }
          }
          if (exclusive > 1 || (exclusive == 1 && shared > 0)) {
            world.violated(
                "I2: " + exclusive + " writers and " + shared + " readers believe to hold " + name);
          }
        });
  }

  /** When the store grants a name, whoever held it before has been told (I2). */
  private void onStoreGrant(String name, ClaimId claim) {
    for (Given mine : given.getOrDefault(name, List.of())) {
      boolean runs = !mine.node.isDead() && !mine.node.isPaused();
      boolean overlaps = mine.exclusive && !mine.lease.claimId().equals(claim);
      if (runs && overlaps && mine.lease.state == HeldLease.State.HELD && !mine.told) {
        world.violated(
            "I2: the store granted "
                + name
                + " to "
                + claim
                + " before "
                + mine.lease
                + " was told of its loss");
      }
    }
  }

  // The faults.

  private void strike() {
    if (quiet) {
      return;
    }
    SimNode victim = node("n" + world.random.nextInt(setup.nodes()));
    int dice = world.random.nextInt(100);
    if (setup.pauses() && dice < 50) {
      victim.pause(world.between(10 * MILLI, 7 * SECOND));
    } else if (setup.outages() && dice < 85) {
      victim.network.outageUntil = world.now() + world.between(100 * MILLI, 6 * SECOND);
    } else if (setup.kills() && dice < 90 && nodes.values().stream().noneMatch(SimNode::isDead)) {
      victim.kill();
    }
    world.in(world.between(500 * MILLI, 5 * SECOND), this::strike);
  }
}
