package dev.pawl.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Election;
import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockTimeoutException;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@SuppressWarnings("LockNotBeforeTry") // Each step is looked at by itself.
class PawlMetricsTest {

  private final MemoryStore store = new MemoryStore();
  private final Pawl pawl = Pawl.builder(store).build();
  private final Pawl other = Pawl.builder(store).build();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void close() {
    pawl.close();
    other.close();
    store.close();
  }

  private long timed(String name, String... tags) {
    return registry.get(name).tags(tags).timer().count();
  }

  private double counted(String name, String... tags) {
    return registry.get(name).tags(tags).counter().count();
  }

  private double gauge(String name, String kind) {
    return registry.get(name).tags("kind", kind).gauge().value();
  }

  private double storeCalls(String call, String outcome) {
    return registry
        .get("pawl.store.calls")
        .tags("call", call, "outcome", outcome)
        .functionCounter()
        .count();
  }

  private static void until(BooleanSupplier state) {
    long start = System.nanoTime();
    while (!state.getAsBoolean()) {
      assertThat(System.nanoTime() - start).isLessThan(TimeUnit.SECONDS.toNanos(30));
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /** Gauges keep alive what they show, but a filter may deny them. */
  @Test
  void callsToTheStoreAreCountedThoughAFilterDeniesTheGauges() throws Exception {
    registry
        .config()
        .meterFilter(MeterFilter.denyNameStartsWith("pawl.held"))
        .meterFilter(MeterFilter.denyNameStartsWith("pawl.waiting"));
    new PawlMetrics(pawl).bindTo(registry);
    WeakReference<Object> garbage = new WeakReference<>(new Object());
    until(
        () -> {
          System.gc();
          return garbage.refersTo(null);
        });

    pawl.lock("free").acquire().close();

    assertThat(storeCalls("acquire", "ok")).isEqualTo(1);
  }

  @Test
  void callsAreTimedByTheirOutcomeAndHoldsByTheirLength() throws Exception {
    new PawlMetrics(pawl).bindTo(registry);
    try (Lease theirs = other.lock("busy").acquire()) {
      assertThat(pawl.lock("busy").tryAcquire()).isEmpty();
      assertThatThrownBy(() -> pawl.lock("busy").acquire(Duration.ofMillis(20)))
          .isInstanceOf(LockTimeoutException.class);
    }
    pawl.lock("free").acquire().close();
    pawl.lock("free").lock();
    pawl.lock("free").unlock();
    assertThat(timed("pawl.acquire", "outcome", "busy")).isEqualTo(1);
    assertThat(timed("pawl.acquire", "outcome", "timed_out")).isEqualTo(1);
    assertThat(timed("pawl.acquire", "outcome", "granted")).isEqualTo(2);
    assertThat(timed("pawl.hold")).isEqualTo(2);
    assertThat(timed("pawl.wait")).isEqualTo(1);
    assertThat(registry.get("pawl.wait").timer().totalTime(TimeUnit.MILLISECONDS))
        .isGreaterThanOrEqualTo(20);
    assertThat(storeCalls("release", "ok")).isEqualTo(2);
    assertThat(storeCalls("acquire", "ok")).isGreaterThanOrEqualTo(4);
  }

  @Test
  void whatIsHeldAndWhoWaitsIsSeenNow() throws Exception {
    new PawlMetrics(pawl).bindTo(registry);
    Lease theirs = other.lock("x").acquire();
    CompletableFuture<Lease> waiting = pawl.lock("x").acquireAsync(Duration.ofMinutes(1));
    assertThat(gauge("pawl.waiting", "lock")).isEqualTo(1);
    theirs.close();
    Lease mine = waiting.get(30, TimeUnit.SECONDS);
    assertThat(gauge("pawl.waiting", "lock")).isZero();
    assertThat(gauge("pawl.held", "lock")).isEqualTo(1);
    assertThat(timed("pawl.acquire", "outcome", "waited")).isEqualTo(1);
    assertThat(timed("pawl.wait")).isEqualTo(1);
    mine.close();
    assertThat(gauge("pawl.held", "lock")).isZero();
    try (Election.Campaign campaign =
        pawl.election("leader").lead(term -> new CountDownLatch(1).await())) {
      until(() -> gauge("pawl.held", "election") == 1);
    }
    assertThat(timed("pawl.acquire", "outcome", "granted")).isZero();
  }

  @Test
  void passesInsideOfTheNodeAreCounted() throws Exception {
    new PawlMetrics(pawl).bindTo(registry);
    long attempts = 0;
    while (counted("pawl.passes") == 0 && attempts++ < 100) { // Only for 10 ms after a grant.
      Lease first = pawl.lock("x").acquireAsync(Duration.ofSeconds(30)).get();
      CompletableFuture<Lease> second = pawl.lock("x").acquireAsync(Duration.ofSeconds(30));
      first.close();
      second.get(30, TimeUnit.SECONDS).close();
    }
    assertThat(counted("pawl.passes")).isEqualTo(1);
    assertThat(timed("pawl.acquire", "outcome", "passed")).isEqualTo(1);
  }

  @Test
  void aLostLeaseIsCounted() throws Exception {
    new PawlMetrics(pawl).withNames("x").bindTo(registry);
    Lease lease = pawl.lock("x").acquire();
    assertThat(other.inspector().forceRelease("x", lease.token(), "me", "a test")).isTrue();
    until(() -> counted("pawl.lost", "name", "x") == 1);
    assertThat(timed("pawl.hold", "name", "x")).isZero();
  }

  @Test
  void jobsAreTimedByTheirOutcome() {
    new PawlMetrics(pawl).withNames("sms").bindTo(registry);
    Instant tick = Instant.now();
    pawl.job("sms").run(tick, run -> {});
    pawl.job("sms").run(tick, run -> {});
    pawl.job("sms")
        .run(
            tick.plusSeconds(1),
            run -> {
              throw new IllegalStateException("on purpose");
            });
    pawl.job("sms").run(tick.plusSeconds(2), run -> run.leave("elsewhere"));
    pawl.job("report").run(tick, run -> {});
    other
        .job("sms")
        .run(tick.plusSeconds(3), run -> pawl.job("sms").run(tick.plusSeconds(3), inner -> {}));
    until(() -> counted("pawl.job.skipped", "name", "sms", "reason", "elsewhere") == 1);
    pawl.inspector().pauseJob("sms", "me", "on purpose");
    pawl.job("sms").run(tick.plusSeconds(4), run -> {});
    until(() -> counted("pawl.job.skipped", "name", "sms", "reason", "paused") == 1);
    assertThat(timed("pawl.job.run", "name", "sms", "outcome", "ran")).isEqualTo(1);
    assertThat(timed("pawl.job.run", "name", "other", "outcome", "ran")).isEqualTo(1);
    assertThat(timed("pawl.job.run", "name", "sms", "outcome", "failed")).isEqualTo(1);
    assertThat(timed("pawl.job.run", "name", "sms", "outcome", "left")).isEqualTo(1);
    assertThat(counted("pawl.job.skipped", "name", "sms", "reason", "done")).isEqualTo(1);
    assertThat(timed("pawl.acquire", "name", "sms", "outcome", "granted")).isZero();
  }

  @Test
  void aRunThatIsLeftToAnotherNodeAndOneThatLostItsLeaseAreTimedAsThat() {
    new PawlMetrics(pawl).bindTo(registry);
    Instant tick = Instant.now();
    pawl.job("sms")
        .retryElsewhere(1)
        .run(
            tick,
            run -> {
              throw new IllegalStateException("on purpose");
            });
    until(() -> timed("pawl.job.run", "outcome", "retried") == 1);
    pawl.job("report")
        .run(
            tick,
            run -> {
              other.inspector().forceRelease("job:report", run.token(), "me", "a test");
              until(() -> !run.isHeld());
              run.ensureHeld();
            });
    until(() -> timed("pawl.job.run", "outcome", "lost") == 1);
    until(() -> counted("pawl.lost") == 1);
    assertThat(timed("pawl.job.run", "outcome", "failed")).isZero();
  }

  @Test
  void missedTicksAreCounted() {
    Job job = pawl.job("report").onMissed(missed -> {});
    Instant tick = Instant.now().minusSeconds(100);
    new PawlMetrics(pawl).bindTo(registry);
    other
        .job("report")
        .run(tick, run -> job.run(tick.plusSeconds(1), inner -> {})); // It is refused this one.
    job.run(tick.plusSeconds(2), run -> {});
    until(() -> counted("pawl.job.missed") == 1);
  }

  @Test
  void aMillionNamesAreOneTimeSeries() throws Exception {
    new PawlMetrics(pawl).withNames("sms").bindTo(registry);
    int before = registry.getMeters().size();
    for (int i = 0; i < 1_000; i++) {
      pawl.lock("invoice:" + i).acquire().close();
    }
    pawl.lock("sms").acquire().close();
    assertThat(registry.getMeters()).hasSize(before);
    assertThat(timed("pawl.hold", "name", "other")).isEqualTo(1_000);
    assertThat(timed("pawl.hold", "name", "sms")).isEqualTo(1);
  }

  @Test
  void withoutNamesThereIsNoTagOfThatKind() {
    new PawlMetrics(pawl).bindTo(registry);
    assertThat(registry.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(id -> assertThat(id.getTag("name")).isNull());
  }

  @Test
  void twoNodesOfOneRegistryAreToldApartByTheirTags() throws Exception {
    new PawlMetrics(pawl).withTags(Tags.of("node", "a")).bindTo(registry);
    new PawlMetrics(other).withTags(Tags.of("node", "b")).bindTo(registry);
    try (Lease lease = other.lock("x").acquire()) {
      assertThat(registry.get("pawl.held").tags("node", "b", "kind", "lock").gauge().value())
          .isEqualTo(1);
      assertThat(registry.get("pawl.held").tags("node", "a", "kind", "lock").gauge().value())
          .isZero();
    }
    assertThat(timed("pawl.hold", "node", "b")).isEqualTo(1);
    assertThat(timed("pawl.hold", "node", "a")).isZero();
  }

  @Test
  void closedMetricsMeasureNothingMore() throws Exception {
    PawlMetrics metrics = new PawlMetrics(pawl);
    metrics.bindTo(registry);
    pawl.lock("x").acquire().close();
    metrics.close();
    pawl.lock("x").acquire().close();
    assertThat(timed("pawl.hold")).isEqualTo(1);
  }

  @Test
  void aClosedNodeIsStillReadable() {
    new PawlMetrics(pawl).bindTo(registry);
    pawl.close();
    assertThat(gauge("pawl.held", "lock")).isZero();
  }
}
