package dev.pawl.hazelcast.member;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.machine.LockMachine;
import dev.pawl.machine.LockState;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long an entry is kept. */
class StoredTest {

  private static final long NOW = 1_000_000_000_000_000L;
  private static final ClaimId CLAIM = new ClaimId("n", 1);

  @Test
  void whatIsHeldOutlivesAWallClockThatIsSetForward() {
    assertThat(new Stored(NOW, held()).lifeMillis()).isGreaterThan(TimeUnit.HOURS.toMillis(1));
  }

  @Test
  void whatNobodyHoldsIsSoonGone() {
    Command.Release release =
        new Command.Release("x", CLAIM, NOW, OptionalLong.empty(), Command.MIN_KEEP_MICROS, true);
    LockState free = LockMachine.release(held(), release, NOW).state();
    assertThat(new Stored(NOW, free).lifeMillis()).isLessThan(TimeUnit.MINUTES.toMillis(2));
  }

  private static LockState held() {
    Command.Acquire acquire =
        new Command.Acquire(
            "x",
            CLAIM,
            Command.EVERYTHING,
            Command.EVERYTHING,
            10_000_000,
            1,
            OptionalLong.empty(),
            true,
            true,
            "label",
            "actor");
    return LockMachine.acquire(LockState.EMPTY, acquire, NOW).state();
  }
}
