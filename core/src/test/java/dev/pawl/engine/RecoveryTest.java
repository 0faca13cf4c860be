package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.LockOptions;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In simulated time: how long a dead holder and a dead caller keep the others waiting (I6). */
class RecoveryTest {

  private static final long SECOND = 1_000_000_000;
  private static final Duration LEASE = Duration.ofSeconds(10);
  private static final int SEEDS = 200;

  /** How long a caller waits before it gives up. */
  private static final long MOST_WAIT = 60 * SECOND;

  private World world;
  private SimServer server;
  private final List<SimNode> nodes = new ArrayList<>();

  private void start(long seed) {
    start(seed, 4);
  }

  private void start(long seed, int count) {
    world = new World(seed);
    server = new SimServer(world, 1.0, (name, claim) -> {});
    nodes.clear();
    for (int i = 0; i < count; i++) {
      nodes.add(new SimNode(world, server, "n" + i, 1.0, SimNetwork.Faults.NONE));
    }
    server.signals = (id, signal) -> nodes.get(Integer.parseInt(id.substring(1))).signal(signal);
  }

  private Caller call(int node) {
    return call(node, Request.exclusive("x", LockOptions.DEFAULT.withLease(LEASE)));
  }

  private Caller read(int node) {
    return call(node, Request.shared("x", LockOptions.DEFAULT.withLease(LEASE)));
  }

  private Caller call(int node, Request request) {
    Engine engine = nodes.get(node).engine;
    Caller caller = new Caller(request, null, false, engine.now(), MOST_WAIT);
    engine.start(caller, false);
    return caller;
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }

  private long runUntilDone(Caller caller) {
    long start = world.now();
    while (!caller.outcome.isDone()) {
      assertThat(world.step(Long.MAX_VALUE)).isTrue();
    }
    assertThat(caller.outcome.join()).isInstanceOf(CallResult.Held.class);
    return world.now() - start;
  }

  @Test
  void aDeadHoldersNameIsFreeWithinTheLeaseAndASecond() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      runUntilDone(call(0));
      Caller next = call(1);
      runFor(world.between(0, 20 * SECOND));
      nodes.get(0).kill();
      assertThat(runUntilDone(next)).as("seed " + seed).isLessThan(LEASE.toNanos() + SECOND);
    }
  }

  @Test
  void aDeadWaiterDelaysTheNextByTwoSecondsAtMost() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      Caller holder = call(0);
      runUntilDone(holder);
      call(1);
      runFor(SECOND / 10);
      Caller last = call(2);
      runFor(world.between(SECOND / 10, 20 * SECOND));
      nodes.get(1).kill();
      runFor(world.between(0, 8 * SECOND));
      nodes.get(0).run(() -> release(holder));
      assertThat(runUntilDone(last)).as("seed " + seed).isLessThan(2 * SECOND + SECOND / 10);
    }
  }

  @Test
  void aWriterThatDiedBehindEightReadersDelaysTheNextByTwoSecondsAndAHeartbeat() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Caller last = writerBehindEightReaders(seed, true);
      assertThat(runUntilDone(last)).as("seed " + seed).isLessThan(3 * SECOND + SECOND / 2);
    }
  }

  @Test
  void aWriterThatLivesBehindEightReadersKeepsItsPlace() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Caller last = writerBehindEightReaders(seed, false);
      runFor(30 * SECOND);
      assertThat(last.outcome).as("seed " + seed).isNotDone();
    }
  }

  /** The readers are granted, and stay; returns the reader behind the writer. */
  private Caller writerBehindEightReaders(long seed, boolean dies) {
    start(seed, 11);
    Caller holder = call(0);
    runUntilDone(holder);
    List<Caller> readers = new ArrayList<>();
    for (int node = 1; node <= 8; node++) {
      readers.add(read(node));
      runFor(SECOND / 100);
    }
    call(9);
    runFor(SECOND / 10);
    Caller last = read(10);
    runFor(world.between(SECOND / 10, 20 * SECOND));
    if (dies) {
      nodes.get(9).kill();
      runFor(world.between(0, SECOND));
    }
    nodes.get(0).run(() -> release(holder));
    readers.forEach(this::runUntilDone);
    return last;
  }

  private void release(Caller holder) {
    var unused =
        nodes.get(0).engine.releaseAsync(((CallResult.Held) holder.outcome.join()).lease());
  }

  @Test
  void aLostSignalCostsAPollNotALease() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      Caller holder = call(0);
      runUntilDone(holder);
      nodes.get(1).network.faults = new SimNetwork.Faults(0, 0, 100, 0, 0);
      Caller next = call(1);
      runFor(world.between(SECOND / 10, 20 * SECOND));
      nodes.get(0).run(() -> release(holder));
      assertThat(runUntilDone(next)).as("seed " + seed).isLessThan(2 * SECOND);
    }
  }

  @Test
  void anIdleWaiterAsksLessThanOnceASecond() {
    start(1);
    runUntilDone(call(0));
    int[] polls = {0};
    Caller next = call(1);
    runFor(SECOND);
    nodes.get(1).network.onSend = () -> polls[0]++;
    runFor(50 * SECOND);
    assertThat(next.outcome).isNotDone();
    assertThat(polls[0]).isBetween(30, 49);
  }
}
