package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pawl.spi.AcquireReply;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The store's clock: one for all nodes, and the one by which it judges leases (I12). */
abstract class ClockCases extends SpiCases {

  ClockCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void theClockRises() {
    long before = read(0);
    for (int i = 0; i < 20; i++) {
      long now = read(0);
      assertThat(now).as("reading " + i).isGreaterThanOrEqualTo(before);
      before = now;
    }
    pass(Duration.ofSeconds(2));
    assertThat(read(0) - before).as("after two seconds").isBetween(1_900_000L, 30_000_000L);
  }

  @Test
  void everyInstanceShowsTheSameTime() {
    long before = read(0);
    long other = read(1);
    long after = read(0);

    assertThat(other).isBetween(before - 1_000_000, after + 1_000_000);
  }

  @Test
  void itIsTheClockThatGrantsAndRefusalsShow() {
    ScriptedClaim holder = node("a").claim(name());
    long before = read(0);
    long granted = holder.take().nowMicros();
    AcquireReply.Busy busy = Replies.as(AcquireReply.Busy.class, node("b").claim(name()).askOnce());
    long after = read(1);

    assertThat(granted).isBetween(before - 1_000_000, after + 1_000_000);
    assertThat(busy.contention().nowMicros()).isBetween(before - 1_000_000, after + 1_000_000);
  }

  @Test
  void itIsTheClockByWhichALeaseEnds() {
    ScriptedClaim holder = node("a").claim(name()).lease(suite.shortLease());
    long until = holder.take().untilMicros();

    until("its end is shown", Duration.ofSeconds(10), () -> read(1) > until + 1_000_000);

    node("b").claim(name()).take();
    assertThat(read(0)).isCloseTo(until, within(Duration.ofSeconds(12).toNanos() / 1_000));
  }

  @Test
  void readingItKeepsNobodyOut() {
    for (int i = 0; i < 10; i++) {
      assertThat(read(i % 2)).isPositive();
    }
    node("a").claim(name()).take();
  }

  private long read(int instance) {
    return Replies.of(store(instance).nowMicros());
  }
}
