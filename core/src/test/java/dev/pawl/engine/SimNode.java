package dev.pawl.engine;

import dev.pawl.engine.deadlocks.DeadlockWatch;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.Vigilance;
import dev.pawl.engine.threads.Platform;
import dev.pawl.spi.Signal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A node in a simulation: the real engine, on a clock of its own, that can be paused and killed.
 */
public final class SimNode {

  public final String id;
  public final SimNetwork network;
  public final Engine engine;
  private final World world;
  private final double rate;
  private final long offset;
  private final List<Runnable> held = new ArrayList<>();
  final SimBodies bodies = new SimBodies(this);
  private boolean paused;
  private boolean dead;

  /** What its clock on the wall is off, which Pawl must not care about (I12). */
  long wallSkewMillis;

  /** For how long it has been paused in its life. */
  long pausedNanos;

  public SimNode(World world, SimServer server, String id, double rate, SimNetwork.Faults faults) {
    this.world = world;
    this.id = id;
    this.rate = rate;
    // So that it runs over within the first minute or so, as the clock of a JVM may.
    this.offset = Long.MAX_VALUE - world.now() - world.random.nextLong(1L << 36);
    this.network = new SimNetwork(world, server, this, faults);
    Platform platform =
        new Platform(
            this::nanos,
            (task, delay) -> {
              world.in((long) Math.ceil(delay / rate), () -> run(task));
              return () -> {}; // It may come all the same.
            },
            Runnable::run,
            Runnable::run,
            Runnable::run,
            Runnable::run,
            Runnable::run,
            bodies,
            world.random.split(),
            bug -> world.violated("a bug: " + bug + " at " + bug.getStackTrace()[0]),
            () -> {});
    this.engine =
        new Engine(
            network,
            id,
            "app@" + id,
            Duration.ofSeconds(3),
            platform,
            Vigilance.NONE,
            DeadlockWatch::new);
  }

  private long nanos() {
    return offset + (long) (world.now() * rate);
  }

  /** The time of day as this node has it. */
  long wallMillis() {
    return 1_700_000_000_000L + wallSkewMillis + (long) (world.now() / 1e6 * rate);
  }

  World world() {
    return world;
  }

  /** Runs something in this node: later if it is paused, never if it is dead. */
  public void run(Runnable action) {
    if (paused) {
      held.add(action);
    } else if (!dead) {
      action.run();
    }
  }

  public void pause(long lastsNanos) {
    if (!paused && !dead) {
      paused = true;
      pausedNanos += lastsNanos;
      world.in(lastsNanos, this::resume);
    }
  }

  private void resume() {
    paused = false;
    List<Runnable> missed = new ArrayList<>(held);
    held.clear();
    missed.forEach(this::run);
  }

  public void kill() {
    dead = true;
  }

  boolean isDead() {
    return dead;
  }

  boolean isPaused() {
    return paused;
  }

  public void signal(Signal signal) {
    network.deliver(signal);
  }
}
