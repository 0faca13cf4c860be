package dev.pawl.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Shows that no state three claims can bring a name into breaks a rule or leaves anybody stuck, by
 * visiting all of them: exclusive, shared and semaphore claims of capacity 2, fair and not.
 */
@Tag("safety")
class LockMachineExhaustiveTest {

  /** Longer than the claim window, so that the two can be told apart. */
  private static final long LEASE_MICROS = 3_000_000;

  private static final OptionalLong NO_MARK = OptionalLong.empty();

  /** What a claim may be. */
  private enum Kind {
    EXCLUSIVE(Command.EVERYTHING, Command.EVERYTHING),
    SHARED(1, Command.EVERYTHING),
    ONE_OF_TWO(1, 2),
    TWO_OF_TWO(2, 2);

    private final int permits;
    private final int capacity;

    Kind(int permits, int capacity) {
      this.permits = permits;
      this.capacity = capacity;
    }

    Command.Acquire claim(int number, boolean fair, OptionalLong mark) {
      return new Command.Acquire(
          Script.NAME,
          new ClaimId("node", number),
          permits,
          capacity,
          LEASE_MICROS,
          2,
          mark,
          true,
          fair,
          "label",
          "actor");
    }
  }

  private int worlds;
  private long states;
  private long transitions;

  @Test
  void noStateOfThreeClaimsBreaksARuleOrLeavesAnybodyStuck() {
    Kind[] kinds = Kind.values();
    for (int a = 0; a < kinds.length; a++) {
      for (int b = a; b < kinds.length; b++) {
        for (int c = b; c < kinds.length; c++) {
          explore(world(true, kinds[a], kinds[b], kinds[c]));
          explore(world(false, kinds[a], kinds[b], kinds[c]));
        }
      }
    }
    explore(withMarks(Kind.EXCLUSIVE, Kind.EXCLUSIVE));
    explore(withMarks(Kind.SHARED, Kind.EXCLUSIVE));
    System.out.printf(
        "lock machine: %,d states and %,d transitions of %d worlds of three claims%n",
        states, transitions, worlds);
    assertThat(states).isGreaterThan(50_000);
    assertThat(transitions).isGreaterThan(1_500_000);
  }

  @ParameterizedTest
  @EnumSource(
      value = BrokenMachine.class,
      mode = EnumSource.Mode.EXCLUDE,
      // What these break, one lease for all, a clock that is always NOW and no marks do not show.
      names = {
        "RENEWAL_SHORTENS",
        "EXPIRY_NEVER",
        "MARK_FALLS",
        "FORGETS_TOO_EARLY",
        "RESET_BY_ANYBODY",
        "KEEPS_MARKS_BRIEFLY"
      })
  void theSearchFindsAShortWayToABrokenRule(BrokenMachine broken) {
    SmallWorld world =
        new SmallWorld(broken, world(true, Kind.EXCLUSIVE, Kind.SHARED, Kind.SHARED));
    assertThatThrownBy(world::explore)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("the way there:")
        .message()
        .satisfies(way -> assertThat(way.lines().count()).isLessThanOrEqualTo(9));
  }

  /** Returns three claims, all of them fair, or only the second. */
  private static List<Command.Acquire> world(boolean fair, Kind a, Kind b, Kind c) {
    return List.of(a.claim(1, fair, NO_MARK), b.claim(2, true, NO_MARK), c.claim(3, fair, NO_MARK));
  }

  private static List<Command.Acquire> withMarks(Kind a, Kind b) {
    return List.of(
        a.claim(1, true, OptionalLong.of(1)),
        b.claim(2, true, OptionalLong.of(1)),
        a.claim(3, true, OptionalLong.of(2)));
  }

  private void explore(List<Command.Acquire> claims) {
    SmallWorld world = new SmallWorld(Machine.REAL, claims).explore();
    worlds++;
    states += world.states();
    transitions += world.transitions();
    // I6: the silent holder's lease ends, then a dead waiter's claim window or a live one's lease.
    assertThat(world.longestLonelyWaitMicros())
        .isLessThanOrEqualTo(LEASE_MICROS + LockMachine.CLAIM_WINDOW_MICROS);
    assertThat(world.longestWaitMicros()).isLessThanOrEqualTo(2 * LEASE_MICROS);
  }
}
