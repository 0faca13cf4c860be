package dev.pawl.engine.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LockOptions;
import dev.pawl.engine.SimNetwork;
import dev.pawl.engine.SimNode;
import dev.pawl.engine.SimServer;
import dev.pawl.engine.World;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.link.Ending;
import dev.pawl.engine.locks.CallResult;
import dev.pawl.engine.locks.Caller;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** In simulated time: what becomes of a tick whose runner dies, stalls or finishes. */
class JobRecoveryTest {

  private static final long SECOND = 1_000_000_000;
  private static final LockOptions OPTIONS = LockOptions.DEFAULT.withLease(Duration.ofSeconds(10));
  private static final Instant TICK = Instant.ofEpochSecond(1_700_000_000);
  private static final int SEEDS = 100;

  private World world;
  private SimServer server;
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<Long> tokens = new ArrayList<>();

  private void start(long seed) {
    world = new World(seed);
    server = new SimServer(world, 1.0, (name, claim) -> {});
    nodes.clear();
    tokens.clear();
    for (int i = 0; i < 8; i++) {
      nodes.add(new SimNode(world, server, "n" + i, 1.0, SimNetwork.Faults.NONE));
    }
    server.signals = (id, signal) -> nodes.get(id.charAt(1) - '0').signal(signal);
  }

  /** A runner whose body takes as long as the test wants. */
  private HeldLease runner(int node) {
    Request request =
        new Request(
            Job.PREFIX + "sms",
            Command.EVERYTHING,
            Command.EVERYTHING,
            OPTIONS,
            OptionalLong.of(TICK.toEpochMilli()));
    Engine engine = nodes.get(node).engine;
    Caller caller = new Caller(request, null, false, engine.now(), SECOND);
    engine.start(caller, false);
    runUntilDone(caller.outcome);
    return ((CallResult.Held) caller.outcome.join()).lease();
  }

  private CompletableFuture<Job.Outcome<Long>> standBy(int node) {
    return new NodeJob(nodes.get(node).engine, "sms", OPTIONS, () -> {})
        .runOrStandBy(
            TICK,
            run -> {
              tokens.add(run.token());
              return run.token();
            });
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }

  private long runUntilDone(CompletableFuture<?> future) {
    long start = world.now();
    while (!future.isDone()) {
      assertThat(world.step(Long.MAX_VALUE)).isTrue();
    }
    return world.now() - start;
  }

  @Test
  void aStandbyTakesOverWithinTheLeaseAndASecond() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      HeldLease dying = runner(0);
      List<CompletableFuture<Job.Outcome<Long>>> standbys = new ArrayList<>();
      for (int i = 1; i < 8; i++) {
        standbys.add(standBy(i));
      }
      runFor(world.between(SECOND / 10, 20 * SECOND));
      nodes.get(0).kill();

      long took = runUntilDone(CompletableFuture.anyOf(standbys.toArray(CompletableFuture[]::new)));

      assertThat(took).as("seed " + seed).isLessThan(11 * SECOND);
      runFor(3 * SECOND);
      assertThat(standbys).allMatch(CompletableFuture::isDone);
      assertThat(standbys.stream().filter(s -> s.join() instanceof Job.Outcome.Ran)).hasSize(1);
      assertThat(standbys.stream().filter(s -> s.join() instanceof Job.Outcome.AlreadyDone))
          .hasSize(6);
      assertThat(tokens).hasSize(1).allMatch(token -> token > dying.token());
    }
  }

  @Test
  void aStandbyIsDismissedWhenTheRunnerFinishes() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      HeldLease runner = runner(0);
      CompletableFuture<Job.Outcome<Long>> standby = standBy(1);
      CompletableFuture<Job.Outcome<Long>> deaf = standBy(2);
      nodes.get(2).network.faults = new SimNetwork.Faults(0, 0, 100, 0, 0);
      runFor(world.between(SECOND / 10, 20 * SECOND));

      nodes.get(0).run(() -> finish(nodes.get(0), runner, TICK, 0));

      assertThat(runUntilDone(standby)).as("seed " + seed).isLessThan(SECOND / 10);
      assertThat(runUntilDone(deaf)).as("seed " + seed).isLessThan(2 * SECOND);
      assertThat(standby.join())
          .isEqualTo(
              new Job.Outcome.AlreadyDone<>(
                  TICK, Optional.empty(), Optional.empty(), Optional.empty()));
      assertThat(tokens).isEmpty();
    }
  }

  @Test
  void aLateRunnerIsToldAndRaisesNothing() {
    for (long seed = 0; seed < SEEDS; seed++) {
      start(seed);
      HeldLease late = runner(0);
      List<String> told = new ArrayList<>();
      late.onLost(() -> told.add("lost"));
      CompletableFuture<Job.Outcome<Long>> standby = standBy(1);
      runFor(world.between(SECOND / 10, 5 * SECOND));
      nodes.get(0).pause(60 * SECOND);
      runUntilDone(standby);
      runFor(61 * SECOND);

      assertThat(told).as("seed " + seed).containsExactly("lost");
      assertThat(late.isHeld()).isFalse();
      assertThat(tokens).hasSize(1).allMatch(token -> token > late.token());
      assertThat(finish(nodes.get(0), late, TICK.plusSeconds(60), 0)).isNull();
      runFor(SECOND);
      assertThat(server.names.get(Job.PREFIX + "sms").mark()).hasValue(TICK.toEpochMilli());
    }
  }

  @Test
  void aRunThatTakesTooLongLosesItsLease() {
    start(1);
    HeldLease slow = runner(0);
    CompletableFuture<Job.Outcome<Long>> standby = standBy(1);
    runFor(SECOND);

    nodes.get(0).run(() -> slow.expire("it ran for too long"));

    assertThat(slow.isHeld()).isFalse();
    assertThat(runUntilDone(standby)).isLessThan(SECOND / 10);
    assertThat(standby.join()).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aSilentStoreFailsAStandbyInsteadOfLeavingItHanging() {
    start(1);
    nodes.get(0).network.outageUntil = Long.MAX_VALUE;

    CompletableFuture<Job.Outcome<Object>> cut =
        new NodeJob(nodes.get(0).engine, "sms", OPTIONS, () -> {})
            .runOrStandBy(Job.every(Duration.ofMinutes(1)), run -> "");
    CompletableFuture<Job.Outcome<Long>> standby = standBy(0);

    runUntilDone(cut);
    runUntilDone(standby);
    assertThat(cut).isCompletedExceptionally();
    assertThat(standby).isCompletedExceptionally();
  }

  @Test
  void nothingIsLeftInTheNodes() {
    start(1);
    HeldLease runner = runner(0);
    CompletableFuture<Job.Outcome<Long>> standby = standBy(1);
    CompletableFuture<Job.Outcome<Long>> cancelled = standBy(2);
    runFor(SECOND);
    cancelled.cancel(true);
    nodes.get(0).run(() -> finish(nodes.get(0), runner, TICK, 5_000_000));
    runUntilDone(standby);
    runFor(SECOND);

    for (SimNode node : nodes) {
      assertThat(node.engine.namesInUse()).as(node.id).isEmpty();
      assertThat(node.engine.timers().size()).as(node.id).isZero();
    }
    assertThat(server.names.get(Job.PREFIX + "sms").holders()).hasSize(1);
    assertThat(server.names.get(Job.PREFIX + "sms").queue()).isEmpty();
  }

  private static @Nullable Ending<TickEnd.Result> finish(
      SimNode node, HeldLease lease, Instant tick, long keepNameMicros) {
    return lease.finish(
        tick.toEpochMilli(),
        Command.MIN_KEEP_MICROS,
        TickEnd.of(node.engine, lease, keepNameMicros));
  }
}
