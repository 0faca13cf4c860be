package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.stream.Stream;
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

  @Test
  @Needs({Capability.FAIR, Capability.SHARED})
  void aWriterThatDiedFarBackKeepsReadersWaitingNoLonger() throws Exception {
    assumeFalse(suite.hasSessions(), "the store's sessions tell which process is dead");
    Stay stay = staysAheadOf(node("dead"));

    until("the reader behind it holds", ALIVE.plus(A_LITTLE), stay.behind()::holds);

    stay.writer().mustBeGone();
    stay.readers().forEach(ScriptedClaim::mustHold);
  }

  @Test
  @Needs({Capability.FAIR, Capability.SHARED})
  void aWriterThatWasFarBackIsToldToShowLifeAndKeepsItsPlace() throws Exception {
    assumeFalse(suite.hasSessions(), "the store's sessions tell which process is alive");
    ScriptedNode alive = node("alive");
    inTime(
        ALIVE,
        name -> {
          Stay stay = staysAheadOf(alive);
          alive.hearsOf(stay.writer());
          assertThat(stay.writer().mustWait().ahead()).isZero();
          stay.behind().mustWait();

          stay.readers().forEach(ScriptedClaim::release);

          stay.writer().mustHold();
        });
  }

  /** Readers that stay, a writer that was far back when it came, and a reader behind it. */
  private record Stay(List<ScriptedClaim> readers, ScriptedClaim writer, ScriptedClaim behind) {}

  private Stay staysAheadOf(ScriptedNode writing) throws Exception {
    ScriptedNode reading = node("readers");
    ScriptedNode last = node("last");
    return madeInTime(
        ALIVE,
        name -> {
          ScriptedClaim holder = reading.claim(name);
          holder.take();
          List<ScriptedClaim> readers =
              Stream.generate(() -> reading.claim(name).shared())
                  .limit(LockMachine.FAR_AHEAD)
                  .toList();
          readers.forEach(ScriptedClaim::enqueue);
          Stay stay = new Stay(readers, writing.claim(name), last.claim(name).shared());
          assertThat(stay.writer().enqueue().ahead()).isEqualTo(readers.size());
          stay.behind().enqueue();
          holder.release();
          readers.forEach(ScriptedClaim::mustHold);
          return stay;
        });
  }
}
