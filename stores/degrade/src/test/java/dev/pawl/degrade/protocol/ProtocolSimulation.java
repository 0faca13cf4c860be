package dev.pawl.degrade.protocol;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Nodes with the real {@link Warden}, each on a clock of its own rate, over a record that is far
 * away: messages are late or lost, stores and links fail, nodes stall and die, by a seed.
 */
final class ProtocolSimulation {

  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;
  static final long MODE_LEASE = 6 * SECOND;
  static final int NAMES = 2;

  /** Faults end then, and everybody has to come to work. */
  private static final long FAULTS_END = 90 * SECOND;

  private static final long END = FAULTS_END + 60 * SECOND;

  private record Event(long at, long order, Runnable action) {}

  /** A hold in a store. */
  record Held(long claim, long until) {}

  final SplittableRandom random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private long order;
  long now;

  /** The record, as the backup has it, and its version. */
  ModeRecord record = ModeRecord.first(new Stores("p", "b"));

  private long version;
  final Map<String, Held> primary = new HashMap<>();
  final Map<String, Held> backup = new HashMap<>();
  boolean primaryDown;
  boolean backupDown;
  final SimulatedNode[] nodes;
  final long[] tokens = new long[NAMES];

  /** What the stores' tokens are made of; far apart, and the primary's ahead. */
  long primaryTokens = 1_000_000_000_000L;

  long backupTokens = 1_000_000;
  private String violation;
  int switches;
  int grants;
  private final int[] lateGrants;

  /** Runs a world; the first node's clock may be slower than any clock is. */
  ProtocolSimulation(long seed, double slowest) {
    random = new SplittableRandom(seed);
    nodes = new SimulatedNode[2 + random.nextInt(3)];
    lateGrants = new int[nodes.length];
    for (int i = 0; i < nodes.length; i++) {
      nodes[i] = new SimulatedNode(this, i, i == 0 ? slowest : 1);
    }
    in(SECOND, this::fault);
    while (!events.isEmpty() && violation == null) {
      Event event = events.poll();
      now = event.at();
      if (now > END) {
        break;
      }
      event.action().run();
      check();
    }
    for (int i = 0; i < nodes.length && violation == null; i++) {
      if (nodes[i].alive && lateGrants[i] == 0) {
        violation = "node " + i + " is stuck in mode " + record.mode();
      }
    }
  }

  Optional<String> violation() {
    return Optional.ofNullable(violation);
  }

  void violated(String what) {
    violation = "after " + now / MILLI + " ms: " + what;
  }

  /** Returns the id of a claim, never used again. */
  long claim() {
    return order++;
  }

  void in(long delay, Runnable action) {
    events.add(new Event(now + delay, order++, action));
  }

  boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  // Faults.

  private void fault() {
    if (now >= FAULTS_END) {
      primaryDown = false;
      backupDown = false;
      for (SimulatedNode node : nodes) {
        node.cutFromPrimary = false;
        node.cutFromBackup = false;
      }
      return;
    }
    SimulatedNode node = nodes[random.nextInt(nodes.length)];
    switch (random.nextInt(8)) {
      case 0, 1 -> primaryDown = !primaryDown;
      case 2 -> {
        backupDown = true;
        in(random.nextLong(MODE_LEASE), () -> backupDown = false);
      }
      case 3 -> node.cutFromPrimary = !node.cutFromPrimary;
      case 4 -> {
        node.cutFromBackup = true;
        in(random.nextLong(2 * MODE_LEASE), () -> node.cutFromBackup = false);
      }
      case 5 -> node.pause(random.nextLong(2 * MODE_LEASE));
      case 6 -> {
        if (chance(15)) {
          node.alive = false;
        }
      }
      default -> {
        primaryTokens += chance(20) ? 1L << 40 : 0;
        backupTokens += chance(20) ? 1L << 40 : 0;
      }
    }
    in(random.nextLong(8 * SECOND), this::fault);
  }

  boolean calm() {
    return now >= FAULTS_END;
  }

  private long delay() {
    return !calm() && chance(4) ? random.nextLong(5 * SECOND) : random.nextLong(1, 20) * MILLI;
  }

  // The stores, each a message away.

  /** Sends something to a store; the answer comes to the node later, or never. */
  <T> void send(SimulatedNode node, boolean toPrimary, Supplier<T> call, Consumer<T> answer) {
    in(
        delay(),
        () -> {
          if (isCut(node, toPrimary) || (!calm() && chance(3))) {
            return;
          }
          T reply = call.get();
          if (!calm() && chance(3)) {
            return;
          }
          in(delay(), () -> node.run(() -> answer.accept(reply)));
        });
  }

  boolean isCut(SimulatedNode node, boolean fromPrimary) {
    return fromPrimary ? primaryDown || node.cutFromPrimary : backupDown || node.cutFromBackup;
  }

  long version() {
    return version;
  }

  boolean compareAndSet(long expected, ModeRecord next) {
    if (expected != version) {
      return false;
    }
    switches += next.mode() == Mode.LEAVING && record.mode() == Mode.PRIMARY ? 1 : 0;
    record = next;
    version++;
    return true;
  }

  /** Takes a name in a store; returns the store's token, or zero if another has it. */
  long take(boolean inPrimary, String key, long claim, long lasts) {
    Map<String, Held> holds = inPrimary ? primary : backup;
    Held held = holds.get(key);
    if (held != null && held.until() > now && held.claim() != claim) {
      return 0;
    }
    holds.put(key, new Held(claim, now + lasts));
    return inPrimary ? ++primaryTokens : ++backupTokens;
  }

  void release(boolean inPrimary, String key, long claim) {
    Map<String, Held> holds = inPrimary ? primary : backup;
    Held held = holds.get(key);
    if (held != null && held.claim() == claim) {
      holds.remove(key);
    }
  }

  void granted(int node, int name, long token) {
    grants++;
    if (calm() && now > FAULTS_END + 30 * SECOND) {
      lateGrants[node]++;
    }
    if (token <= tokens[name]) {
      violated("the token of name " + name + " does not rise: " + token + " after " + tokens[name]);
    }
    tokens[name] = token;
  }

  private void check() {
    for (int name = 0; name < NAMES; name++) {
      int working = 0;
      for (SimulatedNode node : nodes) {
        working += node.works(name) ? 1 : 0;
      }
      if (working > 1) {
        violated("two work under name " + name + " in mode " + record.mode());
      }
    }
  }
}
