package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** What an operator sees of a Redis that is killed. */
class OutageTest {

  private SimpleMeterRegistry registry;

  private double failedCalls(String call) {
    return registry.get("pawl.store.calls").tags("call", call).functionCounters().stream()
        .filter(counter -> !"ok".equals(counter.getId().getTag("outcome")))
        .mapToDouble(FunctionCounter::count)
        .sum();
  }

  private long failedAcquires() {
    return registry.get("pawl.acquire").tags("outcome", "unavailable").timer().count()
        + registry.get("pawl.acquire").tags("outcome", "unknown").timer().count();
  }

  private double failedTicks() {
    return registry.get("pawl.job.errors").counters().stream().mapToDouble(Counter::count).sum();
  }

  private static void until(BooleanSupplier state) {
    long start = System.nanoTime();
    while (!state.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Where a thread stands still for as long as the lease, it is lost without a renewal. */
  @Test
  void aKilledServerShowsInTheMeters() throws Exception {
    Measurement.whereNothingStalls(this::killAServer);
  }

  private void killAServer() throws Exception {
    registry = new SimpleMeterRegistry();
    try (RedisServer server = RedisServer.start();
        Pawl pawl =
            Pawl.builder(server.url())
                .defaults(LockOptions.DEFAULT.withLease(Duration.ofSeconds(1)))
                .responseTimeout(Duration.ofMillis(500))
                .build()) {
      new PawlMetrics(pawl).bindTo(registry);
      CountDownLatch lost = new CountDownLatch(1);
      Lease lease = acquired(pawl, "x");
      lease.onLost(lost::countDown);
      double renewals = failedCalls("renew");
      double acquires = failedCalls("acquire");
      long calls = failedAcquires();

      server.kill();

      assertThat(lost.await(60, TimeUnit.SECONDS)).isTrue();
      assertThatThrownBy(() -> pawl.lock("y").acquire()).isInstanceOf(PawlException.class);
      assertThat(failedCalls("renew")).isGreaterThan(renewals);
      assertThat(failedCalls("acquire")).isGreaterThan(acquires);
      assertThat(registry.get("pawl.renewals.failed").functionCounter().count()).isPositive();
      assertThat(failedAcquires()).isEqualTo(calls + 1);
      assertThatThrownBy(() -> pawl.job("report").run(Instant.now(), run -> {}))
          .isInstanceOf(PawlException.class);
      assertThat(pawl.job("report").runOrStandBy(Instant.now(), run -> {}))
          .failsWithin(Duration.ofSeconds(60));
      until(() -> failedTicks() == 2);
      until(() -> registry.get("pawl.lost").counter().count() > 0);
    }
  }

  /** Half a second is not enough for every answer of a server on a busy machine. */
  private static Lease acquired(Pawl pawl, String name) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      try {
        return pawl.lock(name).acquire();
      } catch (PawlException e) {
        assertThat(System.nanoTime() - end).as("%s", e).isNegative();
      }
    }
  }
}
