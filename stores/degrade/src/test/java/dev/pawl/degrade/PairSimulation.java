package dev.pawl.degrade;

import dev.pawl.LockOptions;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.locks.Vigilance;
import dev.pawl.engine.threads.Platform;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Several nodes with the real engine on the real pair, over two simulated servers: servers, links
 * and nodes fail by a seed, and what must hold is looked at after every event.
 */
final class PairSimulation {

  static final long MILLI = 1_000_000;
  static final long SECOND = 1_000 * MILLI;
  private static final Duration MODE_LEASE = Duration.ofSeconds(6);
  private static final long FAULTS_END = 60 * SECOND;
  private static final long END = FAULTS_END + 60 * SECOND;

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

  /** A lease that somebody was given. */
  private record Given(Node node, HeldLease lease) {}

  final SplittableRandom random;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(
          (a, b) ->
              a.at() != b.at() ? Long.compare(a.at(), b.at()) : Long.compare(a.order(), b.order()));
  private long order;
  private long now;
  private String violation;
  private final Server primary;
  private final Server backup;
  private final List<Node> nodes = new ArrayList<>();
  private final Map<String, List<Given>> given = new HashMap<>();
  private final Map<String, Long> highest = new HashMap<>();
  private int open;
  int grants;
  int switches;
  int returns;

  PairSimulation(long seed) {
    random = new SplittableRandom(seed);
    // The clocks of the two differ by minutes, either way.
    long skew = (random.nextLong(600) - 300) * 1_000_000;
    primary = new Server("primary", new MemoryStore(() -> 1_700_000_000_000_000L + now / 1_000));
    backup =
        new Server("backup", new MemoryStore(() -> 1_700_000_000_000_000L + skew + now / 1_000));
    int count = 2 + random.nextInt(2);
    for (int i = 0; i < count; i++) {
      nodes.add(new Node("n" + i));
    }
    in(SECOND, this::fault);
  }

  Optional<String> run() {
    while (!events.isEmpty() && violation == null) {
      Event event = events.poll();
      now = event.at();
      if (now > END) {
        break;
      }
      event.action().run();
      checkBeliefs();
    }
    if (violation == null && open > 0) {
      violation = "I8: " + open + " calls have not ended";
    }
    for (Node node : nodes) {
      if (violation == null && !node.dead && node.lateGrants == 0) {
        violation = "I8: " + node.id + " is stuck: " + node.mode();
      }
      // An ending that was not answered is left to its lease.
      boolean left =
          node.pair.state().claims.all().stream().anyMatch(c -> c.state != PairClaim.State.ENDING);
      if (violation == null && !node.dead && left) {
        violation =
            "I10: "
                + node.id
                + " is left with "
                + node.pair.state().claims.all()
                + " in "
                + node.mode();
      }
    }
    return Optional.ofNullable(violation);
  }

  void violated(String what) {
    if (violation == null) {
      violation = "after " + now / MILLI + " ms: " + what;
    }
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
    return now >= FAULTS_END;
  }

  long between(long low, long high) {
    return low + random.nextLong(high - low + 1);
  }

  private void checkBeliefs() {
    given.forEach(
        (name, leases) -> {
          long holders = 0;
          for (Given mine : leases) {
            holders += mine.lease().isHeld() && !mine.node().dead ? 1 : 0;
          }
          if (holders > 1) {
            violated("I2: " + holders + " believe to hold " + name);
          }
        });
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
    Node node = nodes.get(random.nextInt(nodes.size()));
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

  /** A node: the engine and the pair, on a clock of its own. */
  final class Node {
    final String id;
    final SimLink toPrimary;
    final SimLink toBackup;
    final PairStore pair;
    final Engine engine;
    private final double rate = 1 + (random.nextDouble() - 0.5) * 0.008;
    private final long offset = random.nextLong();
    private final List<Runnable> missed = new ArrayList<>();
    private boolean paused;
    private long pausedNanos;
    private Mode last = Mode.PRIMARY;
    boolean dead;
    int lateGrants;

    Node(String id) {
      this.id = id;
      this.toPrimary = new SimLink(PairSimulation.this, primary, this);
      this.toBackup = new SimLink(PairSimulation.this, backup, this);
      PairOptions options =
          PairOptions.DEFAULT
              .withModeLease(MODE_LEASE)
              .withDeadAfter(Duration.ofSeconds(1))
              .withReturnAfter(Duration.ofSeconds(2));
      Surroundings world = new Surroundings(this::nanos, this::later, Runnable::run, () -> {});
      this.pair =
          new PairStore(
              world,
              id,
              options,
              new Stores("p", "b", MODE_LEASE.toMillis()),
              Opening.of(world, toPrimary, toBackup, options),
              false);
      this.engine =
          new Engine(
              pair,
              "e" + id,
              "app@" + id,
              Duration.ofSeconds(3),
              new Platform(
                  this::nanos,
                  (task, delay) -> {
                    later(delay, task);
                    return () -> {};
                  },
                  Runnable::run,
                  Runnable::run,
                  Runnable::run,
                  Runnable::run,
                  Runnable::run,
                  Runnable::run,
                  random.split(),
                  bug -> {
                    bug.printStackTrace();
                    violated("a bug: " + bug);
                  },
                  () -> {}),
              Vigilance.NONE,
              DeadlockWatch::new);
      pair.begin();
      for (int user = 0; user < 2; user++) {
        in(between(0, SECOND), this::act);
      }
    }

    private long nanos() {
      return offset + (long) (now * rate);
    }

    private void later(long delay, Runnable task) {
      in((long) Math.ceil(delay / rate), () -> run(task));
    }

    void run(Runnable action) {
      if (paused) {
        missed.add(action);
      } else if (!dead) {
        action.run();
      }
    }

    void pause(long lasts) {
      if (!paused && !dead) {
        paused = true;
        pausedNanos += lasts;
        in(
            lasts,
            () -> {
              paused = false;
              List<Runnable> late = new ArrayList<>(missed);
              missed.clear();
              late.forEach(this::run);
            });
      }
    }

    String mode() {
      ModeRecord seen = pair.state().record();
      return seen == null ? "no record" : seen.mode() + " " + seen.epoch() + " " + seen.members();
    }

    private void act() {
      if (now < END - 20 * SECOND) {
        run(this::call);
      }
    }

    private void call() {
      ModeRecord seen = pair.state().record();
      if (seen != null && seen.mode() != last) {
        switches += seen.mode() == Mode.BACKUP ? 1 : 0;
        returns += seen.mode() == Mode.PRIMARY && last == Mode.RETURNING ? 1 : 0;
        last = seen.mode();
      }
      String name = "name-" + random.nextInt(2);
      LockOptions options =
          LockOptions.DEFAULT
              .withLease(Duration.ofMillis(chance(50) ? 2_000 : 9_000))
              .withRenewal(!chance(20));
      long wait = chance(20) ? 0 : between(10 * MILLI, 8 * SECOND);
      long before = highest.getOrDefault(name, 0L);
      Caller caller = new Caller(Request.exclusive(name, options), null, false, engine.now(), wait);
      boolean[] ended = {false};
      open++;
      engine
          .link()
          .whenDone(
              caller.outcome,
              (result, error) -> {
                ended[0] = true;
                open--;
                onResult(name, before, result);
              });
      engine.start(caller, false);
      watchTheEnd(ended, wait, pausedNanos);
    }

    private void watchTheEnd(boolean[] ended, long wait, long pausedBefore) {
      in(
          wait + 6 * SECOND,
          () -> {
            long pause = pausedNanos - pausedBefore;
            if (dead) {
              open -= ended[0] ? 0 : 1;
            } else if (!ended[0] && pause > 0) {
              watchTheEnd(ended, pause, pausedNanos);
            } else if (!ended[0]) {
              violated("I8: a call of " + id + " is open 6 s after its time in " + mode());
            }
          });
    }

    private void onResult(String name, long before, CallResult result) {
      if (!(result instanceof CallResult.Held held)) {
        in(between(0, SECOND), this::act);
        return;
      }
      grants++;
      lateGrants += now > FAULTS_END + 20 * SECOND ? 1 : 0;
      HeldLease lease = held.lease();
      Given mine = new Given(this, lease);
      given.computeIfAbsent(name, key -> new ArrayList<>()).add(mine);
      if (lease.token() <= before) {
        violated("I3: token " + lease.token() + " of " + name + " is not above " + before);
      }
      highest.merge(name, lease.token(), Math::max);
      long hold = chance(70) ? between(0, 300 * MILLI) : between(SECOND, 8 * SECOND);
      in(
          hold,
          () ->
              run(
                  () -> {
                    var unused = engine.releaseAsync(lease);
                    given.get(name).remove(mine);
                    in(between(0, 300 * MILLI), this::act);
                  }));
    }
  }
}
