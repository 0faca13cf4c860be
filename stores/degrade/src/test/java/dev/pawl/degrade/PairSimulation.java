package dev.pawl.degrade;

import dev.pawl.degrade.protocol.Mode;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Several nodes with the real engine on the real pair, over two simulated servers: servers, links
 * and nodes fail by a seed. Locks, shared locks, a semaphore and a job are used meanwhile; {@link
 * SimHoldings} looks at what must hold.
 */
final class PairSimulation {

  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;
  private static final long FAULTS_END = 60 * SECOND;
  private static final long END = FAULTS_END + 60 * SECOND;

  /** All beliefs are looked at after so many events, and one's own with each grant. */
  private static final int LOOK_EVERY = 64;

  private record Event(long at, long order, Runnable action) {}

  /** A server; it comes back with its data. */
  static final class Server {
    final String name;
    final MemoryStore store;
    boolean down;

    Server(String name, MemoryStore store) {
      this.name = name;
      this.store = store;
    }
  }

  final SplittableRandom random;
  final Broken broken;
  final SimHoldings holdings = new SimHoldings(this::violated);
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private long order;
  private long now;
  private String violation;
  private final Server primary;
  private final Server backup;
  private final List<SimPairNode> nodes = new ArrayList<>();

  /** Calls that have not ended. */
  int open;

  int switches;
  int returns;

  /** Whether nothing fails but what a test wants to. */
  private final boolean scripted;

  /** When the primary was found dead, when all were in the backup, when somebody held a lock. */
  private long foundNanos;

  private long switchedNanos;
  private long heldNanos;

  PairSimulation(long seed) {
    this(seed, Broken.NOTHING);
  }

  PairSimulation(long seed, Broken broken) {
    this(seed, broken, false);
    in(SECOND, this::fault);
  }

  /** A world in which nothing fails but the primary, for good. */
  static PairSimulation ofADeadPrimary(long seed) {
    PairSimulation world = new PairSimulation(seed, Broken.NOTHING, true);
    world.in(world.between(10 * SECOND, 20 * SECOND), () -> world.primary.down = true);
    return world;
  }

  private PairSimulation(long seed, Broken broken, boolean scripted) {
    this.broken = broken;
    this.scripted = scripted;
    random = new SplittableRandom(seed);
    // The clocks of the two differ by minutes, either way.
    long skew = (random.nextLong(600) - 300) * 1_000_000;
    primary = new Server("primary", new MemoryStore(() -> 1_700_000_000_000_000L + now / 1_000));
    backup =
        new Server("backup", new MemoryStore(() -> 1_700_000_000_000_000L + skew + now / 1_000));
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      nodes.add(new SimPairNode(this, i, primary, backup));
    }
  }

  /** Returns how long it took from when the primary was found dead until all had switched. */
  Duration untilSwitched() {
    return Duration.ofNanos(switchedNanos - foundNanos);
  }

  /** Returns how long it took from when the primary was found dead until a lock was granted. */
  Duration untilGranted() {
    return Duration.ofNanos(heldNanos - foundNanos);
  }

  private void watchTheSwitch() {
    if (foundNanos == 0 && nodes.stream().anyMatch(node -> node.isIn(Mode.LEAVING))) {
      foundNanos = now;
    }
    if (switchedNanos == 0 && nodes.stream().allMatch(node -> node.isIn(Mode.BACKUP))) {
      switchedNanos = now;
    }
  }

  void onGranted(SimPairNode node) {
    if (heldNanos == 0 && foundNanos != 0 && node.isIn(Mode.BACKUP)) {
      heldNanos = now;
    }
  }

  Optional<String> run() {
    for (int count = 1; !events.isEmpty() && violation == null; count++) {
      Event event = events.poll();
      now = event.at();
      if (now > END) {
        break;
      }
      event.action().run();
      if (count % LOOK_EVERY == 0) {
        holdings.check();
      }
      if (scripted) {
        watchTheSwitch();
      }
    }
    if (violation == null && open > 0) {
      violation = "I8: " + open + " calls have not ended";
    }
    nodes.stream().filter(node -> !node.dead).forEach(this::checkTheEnd);
    return Optional.ofNullable(violation);
  }

  private void checkTheEnd(SimPairNode node) {
    if (violation == null && node.lateGrants == 0) {
      violation = "I8: " + node.id + " is stuck: " + node.mode();
    }
    // An ending that was not answered is left to its lease.
    List<PairClaim> left =
        node.pair.state().claims.all().stream()
            .filter(c -> c.state != PairClaim.State.ENDING)
            .toList();
    if (violation == null && !left.isEmpty()) {
      violation = "I10: " + node.id + " is left with " + left + " in " + node.mode();
    }
  }

  void violated(String what) {
    if (violation == null) {
      violation = "after " + now / MILLI + " ms: " + what;
    }
  }

  long now() {
    return now;
  }

  void in(long delay, Runnable action) {
    events.add(new Event(now + Math.max(0, delay), order++, action));
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  /** A chance of something bad, until the faults end. */
  boolean mishap(int percent) {
    return !isCalm() && chance(percent);
  }

  boolean isCalm() {
    return scripted || now >= FAULTS_END;
  }

  /** Whether all must have found their way again. */
  boolean isLate() {
    return now > FAULTS_END + 20 * SECOND;
  }

  /** Whether nobody begins anything any more. */
  boolean isEnding() {
    return now >= END - 20 * SECOND;
  }

  long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }

  private void fault() {
    if (isCalm()) {
      primary.down = false;
      backup.down = false;
      nodes.forEach(
          node -> {
            node.toPrimary.cut = false;
            node.toBackup.cut = false;
          });
      return;
    }
    SimPairNode node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(10)) {
      case 0, 1, 2, 3 -> primary.down = !primary.down;
      case 4 -> {
        backup.down = true;
        in(between(0, 8 * SECOND), () -> backup.down = false);
      }
      case 5 -> node.toPrimary.cut = !node.toPrimary.cut;
      case 6 -> {
        node.toBackup.cut = true;
        in(between(0, 10 * SECOND), () -> node.toBackup.cut = false);
      }
      case 7, 8 -> node.pause(between(0, 8 * SECOND));
      default -> {
        if (chance(20) && nodes.stream().noneMatch(n -> n.dead)) {
          node.dead = true;
        }
      }
    }
    in(between(SECOND, 8 * SECOND), this::fault);
  }
}
