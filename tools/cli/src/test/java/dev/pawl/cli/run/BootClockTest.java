package dev.pawl.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class BootClockTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private long bootTicks = 1_000;
  private long nanos = 77 * SECOND;
  private final BootClock clock = new BootClock(() -> bootTicks, () -> nanos);

  private void pass(long seconds) {
    bootTicks += seconds * 100;
    nanos += seconds * SECOND;
  }

  private void suspend(long seconds) {
    bootTicks += seconds * 100;
  }

  @Test
  void aDeadlineIsBroughtFromOneClockToTheOther() {
    pass(5);
    clock.look();
    assertThat(clock.ticksAt(nanos + 10 * SECOND, nanos)).isEqualTo(bootTicks + 1_000);
  }

  @Test
  void aLeaseThatWasHeldWhileTheHostWasSuspendedHasNotGrownByThat() {
    long renewedAt = nanos;
    long end = bootTicks + 1_000;
    pass(1);
    suspend(3_600);
    clock.look();
    assertThat(clock.ticksAt(renewedAt + 10 * SECOND, renewedAt)).isEqualTo(end);
  }

  @Test
  void aLeaseThatWasRenewedAfterwardsIsWhole() {
    suspend(3_600);
    clock.look();
    pass(1);
    clock.look();
    assertThat(clock.ticksAt(nanos + 10 * SECOND, nanos)).isEqualTo(bootTicks + 1_000);
  }

  @Test
  void aReadingThatWasDelayedMovesNoDeadlineBack() {
    pass(1);
    nanos += SECOND / 2; // We were not scheduled between the two readings.
    clock.look();
    nanos -= SECOND / 2;
    assertThat(clock.ticksAt(nanos + 10 * SECOND, nanos)).isEqualTo(bootTicks + 1_000);
  }

  @Test
  void theClockOfTheHostGoesForward() {
    BootClock real = new BootClock();
    long ticks = real.ticks();
    assertThat(ticks).isPositive();
    Commands.await(() -> real.ticks() > ticks);
    long now = System.nanoTime();
    assertThat(real.ticksAt(now, now)).isLessThanOrEqualTo(real.ticks());
  }
}
