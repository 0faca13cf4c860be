package dev.pawl.engine;

import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.LockOptions;
import dev.pawl.engine.jobs.ControlRegister;
import dev.pawl.engine.jobs.NodeJob;
import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/**
 * One world in which nodes whose clocks differ by minutes run a job every ten seconds, with faults
 * chosen by the seed: one job by the store's clock, one by the times that each node's own clock
 * shows.
 *
 * <p>What must hold at every moment: once somebody has been told that a tick ran, no body begins
 * with it or an earlier one; nobody believes to be running while another does (I2); tokens rise
 * (I3). And at the end: every call was answered (I8), and nothing is left (I10).
 */
final class JobSimulation {

  static final long SECOND = 1_000_000_000;
  static final Duration PERIOD = Duration.ofSeconds(10);
  private static final long LASTS = 120 * SECOND;
  private static final int NODES = 4;
  private static final int RETRIES = 2;

  /** By how much a token may run ahead of the clock, in microseconds. */
  private static final long SLACK = 1_000;

  /** What is to go wrong. */
  record Setup(SimNetwork.Faults faults, boolean strikes, boolean bodiesFail, boolean operated) {

    static final Setup CALM = new Setup(SimNetwork.Faults.NONE, false, false, false);
    static final Setup ROUGH = new Setup(new SimNetwork.Faults(4, 4, 15, 50, 3), true, true, false);

    /** With an operator who pauses, resumes, and lets ticks run again. */
    static final Setup OPERATED =
        new Setup(new SimNetwork.Faults(4, 4, 15, 50, 3), true, true, true);
  }

  /** Makes the server, which a test may break. */
  interface Servers {
    SimServer make(World world);

    Servers SOUND = world -> new SimServer(world, 1.0, (name, claim) -> {});
  }

  /** A body at work. */
  private record Working(SimNode node, Job.Run run) {}

  /** A call for a tick. */
  private record Call(SimNode node, CompletableFuture<?> outcome) {}

  private final World world;
  private final Setup setup;
  private final SimServer server;
  private final List<SimNode> nodes = new ArrayList<>();
  private final Map<String, List<Working>> working = new HashMap<>();
  private final Map<String, Long> highestToken = new HashMap<>();
  private final Map<String, Long> latestRan = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();
  private boolean quiet;

  /** How often the body of a tick began, for each job. */
  final Map<String, TreeMap<Instant, Integer>> begun = new HashMap<>();

  final Map<String, Integer> outcomes = new HashMap<>();

  /** How often a tick was told to have run, and how often an operator let it run again. */
  private final Map<String, Integer> ran = new HashMap<>();

  private final Map<String, Integer> permitted = new HashMap<>();

  /** What the server's clock showed when a job was paused that still is. */
  private final Map<String, Long> pausedMicros = new HashMap<>();

  JobSimulation(long seed, Setup setup, Servers servers) {
    this.world = new World(seed);
    this.setup = setup;
    this.server = servers.make(world);
    for (int i = 0; i < NODES; i++) {
      double rate = 0.996 + 0.008 * world.random.nextDouble();
      SimNode node = new SimNode(world, server, "n" + i, rate, setup.faults());
      node.wallSkewMillis = world.between(-180_000, 180_000);
      nodes.add(node);
      atNextTick(node);
    }
    server.signals = (id, signal) -> nodes.get(id.charAt(1) - '0').signal(signal);
    if (setup.strikes()) {
      world.in(world.between(SECOND, 3 * SECOND), this::strike);
    }
    if (setup.operated()) {
      world.in(world.between(20 * SECOND, 30 * SECOND), this::operate);
    }
  }

  /** Runs it; returns the first violation. */
  Optional<String> violation() {
    try {
      run();
      return Optional.empty();
    } catch (AssertionError | RuntimeException e) {
      return Optional.of(e.toString());
    } finally {
      nodes.forEach(node -> node.bodies.abandon());
    }
  }

  private void run() {
    long end = world.now() + LASTS;
    while (world.step(end)) {
      checkBeliefs();
    }
    quiet = true;
    for (SimNode node : nodes) {
      node.network.faults = SimNetwork.Faults.NONE;
      node.network.outageUntil = 0;
    }
    while (world.step(end + 100 * SECOND)) {
      checkBeliefs();
    }
    if (calls.stream().anyMatch(call -> !call.node().isDead() && !call.outcome().isDone())) {
      throw new AssertionError("I8: a call was not answered");
    }
    for (SimNode node : nodes) {
      if (!node.isDead()
          && (!node.engine.namesInUse().isEmpty() || node.engine.timers().size() > 0)) {
        throw new AssertionError("I10: " + node.id + " is left with queues or timers");
      }
    }
  }

  // The nodes' schedules.

  private void atNextTick(SimNode node) {
    long period = PERIOD.toMillis();
    long untilNext = period - Math.floorMod(node.wallMillis(), period);
    world.in(untilNext * 1_000_000, () -> node.run(() -> onTick(node)));
  }

  private void onTick(SimNode node) {
    if (quiet) {
      return;
    }
    long period = PERIOD.toMillis();
    Instant cron = Instant.ofEpochMilli(node.wallMillis() / period * period);
    call(node, "cron", new Job.Tick.At(cron));
    call(node, "every", Job.every(PERIOD));
    atNextTick(node);
  }

  private void call(SimNode node, String name, Job.Tick tick) {
    Job job =
        new NodeJob(
            node.engine,
            name,
            LockOptions.DEFAULT.withLease(Duration.ofSeconds(world.chance(50) ? 2 : 5)),
            () -> {});
    if (setup.bodiesFail()) {
      job = job.retryElsewhere(RETRIES).onMissed(missed -> {});
    }
    if (world.chance(30)) {
      job = job.atMostFor(Duration.ofSeconds(4));
    }
    if (world.chance(30)) {
      job = job.atLeastFor(Duration.ofSeconds(2));
    }
    long takes =
        world.chance(70) ? world.between(0, SECOND / 10) : world.between(SECOND, 6 * SECOND);
    boolean fails = setup.bodiesFail() && world.chance(20);
    CompletableFuture<Job.Outcome<Instant>> outcome =
        job.runOrStandBy(
            tick,
            run -> {
              return body(node, run, setup.strikes() ? takes : 0, fails);
            });
    calls.add(new Call(node, outcome));
    node.engine
        .link()
        .whenDone(
            outcome,
            (ended, error) -> {
              if (ended instanceof Job.Outcome.Ran<Instant> done) {
                latestRan.merge(name, done.result().toEpochMilli(), Math::max);
                onRan(name + " " + done.result());
              }
              String what = ended == null ? "unavailable" : ended.getClass().getSimpleName();
              outcomes.merge(name + " " + what, 1, Integer::sum);
            });
  }

  private Instant body(SimNode node, Job.Run run, long takes, boolean fails) throws Exception {
    String name = run.job();
    begun.computeIfAbsent(name, n -> new TreeMap<>()).merge(run.tick(), 1, Integer::sum);
    if (run.token() > pausedMicros.getOrDefault(name, Long.MAX_VALUE - SLACK) + SLACK) {
      world.violated(name + " began with " + run.tick() + ", granted after it was paused");
    }
    boolean again = permitted.containsKey(name + " " + run.tick());
    if (run.tick().toEpochMilli() <= latestRan.getOrDefault(name, -1L) && !again) {
      world.violated(name + " began with " + run.tick() + ", which somebody was told had run");
    }
    if (run.token() <= highestToken.getOrDefault(name, 0L)) {
      world.violated("I3: token " + run.token() + " of " + name + " does not rise");
    }
    highestToken.put(name, run.token());
    Working mine = new Working(node, run);
    working.computeIfAbsent(name, n -> new ArrayList<>()).add(mine);
    try {
      if (takes > 0) {
        node.bodies.sleep(takes);
      }
      if (fails) {
        throw new IllegalStateException("no modem");
      }
      return run.tick();
    } finally {
      working.get(name).remove(mine);
    }
  }

  private void onRan(String tick) {
    if (ran.merge(tick, 1, Integer::sum) > 1 + permitted.getOrDefault(tick, 0)) {
      world.violated(tick + " ran once more than it was permitted to");
    }
    if (ran.get(tick) > 1) {
      outcomes.merge("ran again", 1, Integer::sum);
    }
  }

  /** Pauses or resumes a job, or lets a tick run again that somebody was told has run. */
  private void operate() {
    if (quiet) {
      return;
    }
    String job = world.chance(50) ? "cron" : "every";
    Instant now = Instant.EPOCH.plus(server.micros(), ChronoUnit.MICROS);
    if (pausedMicros.containsKey(job)) {
      change(job, control -> new JobControl(job, Optional.empty(), control.permits()));
      pausedMicros.remove(job);
    } else if (world.chance(30)) {
      JobControl.Pause pause = new JobControl.Pause("ann", "a fault", now);
      change(job, control -> new JobControl(job, Optional.of(pause), control.permits()));
      pausedMicros.put(job, server.micros());
    } else if (latestRan.containsKey(job)) {
      Instant tick = Instant.ofEpochMilli(latestRan.get(job));
      JobControl.Permit permit = new JobControl.Permit(tick, "ann", "once more", now);
      change(
          job,
          control -> {
            if (control.permit(tick).isPresent()) {
              return control;
            }
            permitted.merge(job + " " + tick, 1, Integer::sum);
            List<JobControl.Permit> permits = new ArrayList<>(control.permits());
            permits.add(permit);
            return new JobControl(job, control.pause(), permits);
          });
    }
    world.in(world.between(SECOND, 15 * SECOND), this::operate);
  }

  private void change(String job, UnaryOperator<JobControl> change) {
    ControlRegister.change(server.rest, job, change).toCompletableFuture().join();
  }

  private void checkBeliefs() {
    working.forEach(
        (name, bodies) -> {
          if (bodies.stream().filter(b -> !b.node().isDead() && b.run().isHeld()).count() > 1) {
            world.violated("I2: two bodies of " + name + " believe to run alone");
          }
        });
  }

  // The faults.

  private void strike() {
    if (quiet) {
      return;
    }
    SimNode victim = nodes.get(world.random.nextInt(NODES));
    int dice = world.random.nextInt(100);
    if (dice < 50) {
      victim.pause(world.between(SECOND / 100, 7 * SECOND));
    } else if (dice < 85) {
      victim.network.outageUntil = world.now() + world.between(SECOND / 10, 6 * SECOND);
    } else if (dice < 90 && nodes.stream().noneMatch(SimNode::isDead)) {
      victim.kill();
    }
    world.in(world.between(SECOND / 2, 5 * SECOND), this::strike);
  }

  /** A server whose state is spoilt before each command. */
  static SimServer spoilt(World world, Spoiler spoiler) {
    return new SimServer(world, 1.0, (name, claim) -> {}) {
      @Override
      Step<?> step(LockState state, Command command) {
        return super.step(spoiler.spoil(state, command), command);
      }
    };
  }

  /** What a broken server does to a name. */
  interface Spoiler {
    LockState spoil(LockState state, Command command);
  }
}
