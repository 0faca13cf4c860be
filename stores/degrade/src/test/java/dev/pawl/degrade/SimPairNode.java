package dev.pawl.degrade;

import dev.pawl.LockOptions;
import dev.pawl.degrade.PairSimulation.Server;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.degrade.protocol.Stores;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.locks.Vigilance;
import dev.pawl.engine.threads.Platform;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** A node of a {@link PairSimulation}: the engine and the pair, on a clock of its own. */
final class SimPairNode {

  private static final long MILLI = PairSimulation.MILLI;
  private static final long SECOND = PairSimulation.SECOND;
  private static final long TICK = 5 * SECOND;

  private final PairSimulation world;
  final String id;
  final SimLink toPrimary;
  final SimLink toBackup;
  final PairStore pair;
  private final Engine engine;
  private final double rate;
  private final long offset;
  private final List<Runnable> missed = new ArrayList<>();
  private boolean paused;
  private long pausedNanos;
  private Mode last = Mode.PRIMARY;
  boolean dead;
  int lateGrants;

  SimPairNode(PairSimulation world, int number, Server primary, Server backup) {
    this.world = world;
    this.id = "n" + number;
    boolean first = number == 0;
    this.rate = world.broken.rate(first, 1 + (world.random.nextDouble() - 0.5) * 0.008);
    this.offset = world.random.nextLong();
    this.toPrimary = new SimLink(world, primary, this);
    this.toBackup = new SimLink(world, backup, this);
    PairOptions options =
        PairOptions.DEFAULT
            .withModeLease(world.broken.modeLease(first))
            .withDeadAfter(Duration.ofSeconds(1))
            .withReturnAfter(Duration.ofSeconds(2));
    Surroundings around = new Surroundings(this::nanos, this::later, Runnable::run, () -> {});
    this.pair =
        new PairStore(
            around,
            id,
            options,
            new Stores("p", "b", Broken.MODE_LEASE.toMillis()),
            Opening.of(around, toPrimary, toBackup, options),
            false);
    this.engine =
        new Engine(
            new SlowThreads(
                world.broken.seenByEngine(pair, task -> later(3 * SECOND, task)), this::hear),
            "e" + id,
            "app@" + id,
            Duration.ofSeconds(3),
            platform(),
            Vigilance.NONE,
            DeadlockWatch::new);
    pair.begin();
    for (int user = 0; user < 2; user++) {
      world.in(world.between(0, SECOND), this::act);
    }
  }

  private Platform platform() {
    return new Platform(
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
        world.random.split(),
        bug -> {
          bug.printStackTrace();
          world.violated("a bug: " + bug);
        },
        () -> {});
  }

  private long nanos() {
    return offset + (long) (world.now() * rate);
  }

  private void later(long delay, Runnable task) {
    world.in((long) Math.ceil(delay / rate), () -> run(task));
  }

  private void hear(Runnable message) {
    if (world.mishap(5)) {
      later(world.between(0, 100 * MILLI), message);
    } else {
      message.run();
    }
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
      world.in(
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

  boolean isIn(Mode mode) {
    ModeRecord seen = pair.state().record();
    return seen != null && seen.mode() == mode;
  }

  // Its users.

  private void act() {
    if (!world.isEnding()) {
      run(this::call);
    }
  }

  private Request request(LockOptions options) {
    int kind = world.random.nextInt(100);
    if (kind < 20) {
      long tick = world.now() / TICK + 1;
      return new Request(
          "job", Command.EVERYTHING, Command.EVERYTHING, options, OptionalLong.of(tick));
    }
    if (kind < 35) {
      int permits = 1 + world.random.nextInt(2);
      return new Request("sem", permits, SimHoldings.CAPACITY, options, OptionalLong.empty());
    }
    String name = "name-" + world.random.nextInt(2);
    return kind < 50 ? Request.shared(name, options) : Request.exclusive(name, options);
  }

  private void call() {
    ModeRecord seen = pair.state().record();
    if (seen != null && seen.mode() != last) {
      world.switches += seen.mode() == Mode.BACKUP ? 1 : 0;
      world.returns += seen.mode() == Mode.PRIMARY && last == Mode.RETURNING ? 1 : 0;
      last = seen.mode();
    }
    Request request =
        request(
            LockOptions.DEFAULT
                .withLease(Duration.ofMillis(world.chance(50) ? 2_000 : 9_000))
                .withRenewal(!world.chance(20)));
    long wait = world.chance(20) ? 0 : world.between(10 * MILLI, 8 * SECOND);
    SimHoldings.Before before = world.holdings.before(request.name());
    Caller caller = new Caller(request, null, false, engine.now(), wait);
    boolean[] ended = {false};
    world.open++;
    engine
        .link()
        .whenDone(
            caller.outcome,
            (result, error) -> {
              ended[0] = true;
              world.open--;
              onResult(request, before, result);
            });
    engine.start(caller, false);
    watchTheEnd(ended, wait, pausedNanos);
  }

  private void watchTheEnd(boolean[] ended, long wait, long pausedBefore) {
    world.in(
        wait + 6 * SECOND,
        () -> {
          long pause = pausedNanos - pausedBefore;
          if (dead) {
            world.open -= ended[0] ? 0 : 1;
          } else if (!ended[0] && pause > 0) {
            watchTheEnd(ended, pause, pausedNanos);
          } else if (!ended[0]) {
            world.violated("I8: a call of " + id + " is open 6 s after its time in " + mode());
          }
        });
  }

  private void onResult(Request request, SimHoldings.Before before, CallResult result) {
    if (!(result instanceof CallResult.Held held)) {
      world.in(world.between(0, SECOND), this::act);
      return;
    }
    world.onGranted(this);
    lateGrants += world.isLate() ? 1 : 0;
    HeldLease lease = held.lease();
    world.holdings.onGranted(this, request, before, lease);
    long hold =
        world.chance(70) ? world.between(0, 300 * MILLI) : world.between(SECOND, 8 * SECOND);
    world.in(hold, () -> run(() -> end(request, lease)));
  }

  private void end(Request request, HeldLease lease) {
    if (request.mark().isPresent() && lease.isHeld()) {
      endTick(request, lease, world.chance(30));
    } else {
      var unused = engine.releaseAsync(lease);
    }
    world.holdings.onEnded(request.name(), lease);
    world.in(world.between(0, 300 * MILLI), this::act);
  }

  /** Ends a tick as a job does; its name may be kept for two seconds. */
  private void endTick(Request request, HeldLease lease, boolean keep) {
    long mark = request.mark().getAsLong();
    Command.Acquire kept =
        new Command.Acquire(
            request.name(),
            engine.nextClaimId(),
            request.permits(),
            request.capacity(),
            2_000_000,
            1,
            OptionalLong.empty(),
            false,
            true,
            id,
            "");
    Ending<Boolean> ending =
        lease.finish(
            mark,
            Command.MIN_KEEP_MICROS,
            (release, until) ->
                store ->
                    keep
                        ? store
                            .yieldGrant(new Command.Yield(release, kept))
                            .thenApply(reply -> isInTime(reply, until))
                        : store.release(release).thenApply(ReleaseReply.RELEASED::equals));
    if (ending != null) {
      var unused =
          ending
              .answer()
              .thenAccept(
                  done -> {
                    if (done && !ending.isRepeated()) {
                      world.holdings.onRan(mark);
                    }
                  });
    }
  }

  private static boolean isInTime(AcquireReply reply, long untilMicros) {
    return reply instanceof AcquireReply.Granted granted
        && granted.grant().nowMicros() < untilMicros;
  }
}
