package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockState;
import dev.pawl.machine.Step;
import dev.pawl.spi.Command;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many seeded worlds of the real engine among lost and late messages, outages, pauses, crashes and
 * drifting clocks: I1, I2, I3, I5, I7, I8 and I10 hold in all of them.
 *
 * <p>{@code -Dpawl.seeds=1000000} runs more, {@code -Dpawl.seed=42} runs one.
 */
@Tag("safety")
class SimulationTest {

  private static final long SEEDS = Long.getLong("pawl.seeds", 10_000);

  @Test
  void theInvariantsHoldInEveryWorld() {
    long only = Long.getLong("pawl.seed", -1);
    LongStream seeds = only >= 0 ? LongStream.of(only) : LongStream.range(0, SEEDS).parallel();
    LongAdder calls = new LongAdder();
    LongAdder grants = new LongAdder();
    LongAdder losses = new LongAdder();
    Optional<String> violation =
        seeds
            .mapToObj(
                seed -> {
                  Simulation simulation = new Simulation(seed, Simulation.Setup.rough());
                  Optional<String> found = simulation.violation();
                  calls.add(simulation.calls);
                  grants.add(simulation.grants);
                  losses.add(simulation.losses);
                  return found.map(
                      what -> "seed " + seed + " (alone: -Dpawl.seed=" + seed + "): " + what);
                })
            .flatMap(Optional::stream)
            .findAny();
    assertThat(violation).isEmpty();
    System.out.printf(
        "simulation: %d calls, %d grants, %d losses%n", calls.sum(), grants.sum(), losses.sum());
    assertThat(grants.sum()).isPositive();
    assertThat(losses.sum()).as("faults that do no harm show nothing").isPositive();
  }

  @Test
  void nobodyIsStuckWhenEverySignalIsLost() {
    Simulation.Setup deaf = Simulation.Setup.rough().with(new SimNetwork.Faults(0, 0, 100, 0, 0));
    assertThat(firstViolation(200, deaf, SimServer::new)).isEmpty();
  }

  @Test
  void aClockThatRunsFivePercentTooFastInTheStoreIsNoticed() {
    Simulation.Setup fast = Simulation.Setup.rough().withServerRate(1.05);
    assertThat(firstViolation(1_000, fast, SimServer::new)).get().asString().contains("I2");
  }

  @Test
  void aStoreThatForgetsAHolderIsNoticed() {
    assertThat(
            violationOf(
                (state, command, server) ->
                    command instanceof Command.Acquire && server.world.chance(2)
                        ? withHolders(state, List.of())
                        : state))
        .contains("I2");
  }

  @Test
  void aStoreThatForgetsItsTokensWhileItsClockStepsBackIsNoticed() {
    assertThat(
            violationOf(
                (state, command, server) -> {
                  if (server.world.chance(1)) {
                    server.skewMicros -= 1_000_000;
                  }
                  return withLastToken(state, 0);
                }))
        .contains("I3");
  }

  @Test
  void aStoreThatTakesALateCopyForANewClaimIsNoticed() {
    assertThat(violationOf((state, command, server) -> withoutEnded(state))).contains("I5");
  }

  @Test
  void aStoreThatServesTheLastInLineFirstIsNoticed() {
    assertThat(
            violationOf(
                (state, command, server) -> {
                  List<LockState.Waiter> queue = new ArrayList<>(state.queue());
                  Collections.reverse(queue);
                  return withQueue(state, queue);
                }))
        .contains("I7");
  }

  /** Spoils the state that a command finds. */
  private interface Spoiler {
    LockState spoil(LockState state, Command command, SimServer server);
  }

  private static String violationOf(Spoiler spoiler) {
    return firstViolation(
            1_000,
            Simulation.Setup.rough(),
            (world, rate, onGrant) ->
                new SimServer(world, rate, onGrant) {
                  @Override
                  Step<?> step(LockState state, Command command) {
                    return super.step(spoiler.spoil(state, command, this), command);
                  }
                })
        .orElse("nothing was noticed");
  }

  private static Optional<String> firstViolation(
      int seeds, Simulation.Setup setup, Simulation.Servers servers) {
    return LongStream.range(0, seeds)
        .mapToObj(seed -> new Simulation(seed, setup, servers).violation())
        .flatMap(Optional::stream)
        .findFirst();
  }

  private static LockState withHolders(LockState state, List<LockState.Holder> holders) {
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        holders,
        state.queue(),
        state.ended());
  }

  private static LockState withQueue(LockState state, List<LockState.Waiter> queue) {
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        state.holders(),
        queue,
        state.ended());
  }

  private static LockState withLastToken(LockState state, long lastToken) {
    return new LockState(
        lastToken,
        state.mark(),
        state.markUntilMicros(),
        state.holders(),
        state.queue(),
        state.ended());
  }

  private static LockState withoutEnded(LockState state) {
    return new LockState(
        state.lastToken(),
        state.mark(),
        state.markUntilMicros(),
        state.holders(),
        state.queue(),
        List.of());
  }
}
