package dev.pawl.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a node counts by, also when its host is suspended. */
@Tag("safety")
class HostClockTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private long monotonic = 5 * SECOND;
  private long uptime = 7_000 * SECOND;

  /** How long the thread stands still after it has read the uptime. */
  private long stall;

  private int looks;

  private final HostClock clock = new HostClock(() -> monotonic, this::readUptime);

  private OptionalLong readUptime() {
    looks++;
    // The file has hundredths of a second.
    OptionalLong read = OptionalLong.of(uptime / (10 * MILLI) * (10 * MILLI));
    pass(Duration.ofNanos(stall));
    return read;
  }

  private void pass(Duration time) {
    monotonic += time.toNanos();
    uptime += time.toNanos();
  }

  @Test
  void theTimeForWhichTheHostWasSuspendedCountsOnce() {
    long before = clock.getAsLong();
    pass(Duration.ofSeconds(1));
    assertThat(clock.getAsLong() - before).isEqualTo(SECOND);

    uptime += 300 * SECOND;
    pass(Duration.ofMillis(10));
    long awake = clock.getAsLong();
    assertThat(awake - before).isBetween(300 * SECOND, 302 * SECOND);

    pass(Duration.ofSeconds(1));
    assertThat(clock.getAsLong() - awake).isEqualTo(SECOND);
  }

  @Test
  void aThreadThatStoodStillAtALookMakesItNeitherJumpNorBlind() {
    stall = 5 * SECOND;
    long before = clock.getAsLong();
    stall = 0;
    for (int i = 0; i < 10; i++) {
      pass(Duration.ofMillis(20));
      clock.getAsLong();
    }
    assertThat(clock.getAsLong() - before).isLessThanOrEqualTo(10 * 20 * MILLI);

    uptime += 60 * SECOND;
    pass(Duration.ofMillis(20));
    stall = 5 * SECOND;
    assertThat(clock.getAsLong() - before).isGreaterThanOrEqualTo(60 * SECOND);
    stall = 0;
    assertThat(clock.getAsLong() - before).isGreaterThanOrEqualTo(65 * SECOND);
  }

  @Test
  void timeThatPassesIsNoSuspensionHoweverTheFileIsRounded() {
    long before = clock.getAsLong();
    for (int i = 0; i < 1_000; i++) {
      pass(Duration.ofNanos(13_777_777));
      clock.getAsLong();
    }
    assertThat(clock.getAsLong() - before).isEqualTo(1_000 * 13_777_777L);
  }

  @Test
  void whereThereIsNoSuchFileItIsTheMonotonicClock() {
    HostClock plain = new HostClock(() -> monotonic, OptionalLong::empty);
    monotonic += SECOND;
    assertThat(plain.getAsLong()).isEqualTo(monotonic);
  }

  @Test
  void theFileIsNotReadEachTime() {
    clock.getAsLong();
    int before = looks;
    for (int i = 0; i < 1_000; i++) {
      clock.getAsLong();
    }
    assertThat(looks).isEqualTo(before);
  }

  @Test
  void onThisHostItGoesOn() {
    HostClock real = new HostClock();
    long before = real.getAsLong();
    long start = System.nanoTime();
    while (System.nanoTime() - start < 50 * MILLI) {
      Thread.onSpinWait();
    }
    assertThat(real.getAsLong() - before).isGreaterThanOrEqualTo(50 * MILLI);
  }
}
