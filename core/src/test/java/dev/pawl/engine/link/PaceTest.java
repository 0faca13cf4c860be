package dev.pawl.engine.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class PaceTest {

  private final Pace pace = new Pace(3_000_000_000L, RandomGenerator.getDefault());

  @Test
  void aPollThatIsLostCanBeRepeatedBeforeItsWaiterIsTakenForDead() {
    for (int ahead = 0; ahead <= 2 * LockMachine.FAR_AHEAD; ahead++) {
      assertThat(Pace.pollNanos(ahead) + pace.pollAttemptNanos())
          .describedAs("with %d ahead", ahead)
          .isLessThan(LockMachine.aliveMicros(ahead) * 1_000);
    }
  }
}
