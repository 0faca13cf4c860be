package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

/** I6: a waiter that died delays the next by two seconds at the most. */
@Needs(Capability.FAIR)
abstract class DeadWaiterCases extends SpiCases {

  private static final Duration WINDOW =
      Duration.of(LockMachine.CLAIM_WINDOW_MICROS, ChronoUnit.MICROS);
  private static final Duration ALIVE =
      Duration.of(LockMachine.WAITER_ALIVE_MICROS, ChronoUnit.MICROS);
  private static final Duration A_LITTLE = Duration.ofSeconds(1);

  DeadWaiterCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aGrantThatNobodyConfirmsGoesToTheNextAfterTheClaimWindow() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim dead = node("b").claim(name());
    ScriptedClaim next = node("c").claim(name());
    holder.take();
    dead.enqueue();
    next.enqueue();
    holder.release();

    until("the next one holds it", WINDOW.plus(A_LITTLE), next::holds);

    dead.mustBeGone();
    next.mustHold();
  }

  @Test
  void aWaiterThatShowsNoSignOfLifeDropsOutOfTheQueue() {
    ScriptedClaim holder = node("a").claim(name());
    ScriptedClaim dead = node("b").claim(name());
    ScriptedClaim alive = node("c").claim(name());
    holder.take();
    dead.enqueue();
    assertThat(alive.enqueue().ahead()).isEqualTo(1);

    until("it stands first", ALIVE.plus(A_LITTLE), () -> alive.mustWait().ahead() == 0);

    // It showed up all the time, for longer than a waiter lives without: it is still there.
    holder.release();
    alive.mustHold();
    dead.mustBeGone();
  }
}
