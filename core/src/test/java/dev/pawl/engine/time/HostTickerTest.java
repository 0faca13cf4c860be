package dev.pawl.engine.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class HostTickerTest {

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);

  private final AtomicLong monotonic = new AtomicLong(5 * SECOND);
  private final AtomicLong uptime = new AtomicLong(7_000 * SECOND);
  private final AtomicInteger looks = new AtomicInteger();
  private final HostTicker ticker =
      new HostTicker(
          monotonic::get,
          () -> {
            looks.incrementAndGet();
            // The file has hundredths of a second.
            return OptionalLong.of(uptime.get() / (10 * MILLI) * (10 * MILLI));
          });

  private void pass(Duration time) {
    monotonic.addAndGet(time.toNanos());
    uptime.addAndGet(time.toNanos());
  }

  @Test
  void theTimeForWhichTheHostWasSuspendedCounts() {
    long before = ticker.nanos();
    pass(Duration.ofSeconds(1));
    assertThat(ticker.nanos() - before).isEqualTo(SECOND);

    uptime.addAndGet(3_600 * SECOND); // The lid was closed for an hour.
    pass(Duration.ofMillis(10));
    assertThat(ticker.nanos() - before).isBetween(3_600 * SECOND, 3_602 * SECOND + 10 * MILLI);

    long awake = ticker.nanos();
    pass(Duration.ofSeconds(1));
    assertThat(ticker.nanos() - awake).as("once").isEqualTo(SECOND);
  }

  @Test
  void timeThatPassesIsNoSuspensionHoweverTheFileIsRounded() {
    long before = ticker.nanos();
    for (int i = 0; i < 1_000; i++) {
      pass(Duration.ofNanos(13_777_777));
      ticker.nanos();
    }
    assertThat(ticker.nanos() - before).isEqualTo(1_000 * 13_777_777L);
  }

  @Test
  void theFileIsNotReadEachTime() {
    int before = looks.get();
    for (int i = 0; i < 1_000; i++) {
      ticker.nanos();
    }
    assertThat(looks.get()).isEqualTo(before);
  }

  @Test
  void whereThereIsNoSuchFileItIsTheMonotonicClock() {
    HostTicker plain = new HostTicker(monotonic::get, OptionalLong::empty);
    monotonic.addAndGet(SECOND);
    assertThat(plain.nanos()).isEqualTo(monotonic.get());
  }

  @Test
  void onThisHostItGoesOn() {
    HostTicker real = new HostTicker();
    long before = real.nanos();
    long start = System.nanoTime();
    while (System.nanoTime() - start < 50 * MILLI) {
      Thread.onSpinWait();
    }
    assertThat(real.nanos() - before).isGreaterThanOrEqualTo(50 * MILLI);
  }
}
