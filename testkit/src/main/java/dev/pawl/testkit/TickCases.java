package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Ticks: one run for each, whatever the nodes' clocks show; and those that nobody ran. */
abstract class TickCases extends WithJobs {

  private static final Duration[] SKEWS = {
    Duration.ofMinutes(3), Duration.ofSeconds(-47), Duration.ZERO, Duration.ofMinutes(-3)
  };

  private static final Job.Body<Instant> TICK_OF = Job.Run::tick;

  private final List<Job.Missed> missed = new CopyOnWriteArrayList<>();

  TickCases(StoreConformance suite) {
    super(suite);
  }

  /** Each node comes whenever its own clock begins a period; the store's clock says which it is. */
  @Test
  void nodesWhoseClocksDifferByMinutesRunEachPeriodOnce() throws Exception {
    Duration period = Duration.ofMillis(200);
    Queue<Instant> ticks = new ConcurrentLinkedQueue<>();
    List<Pawl> nodes = new ArrayList<>();
    for (Duration skew : SKEWS) {
      nodes.add(pawl("off by " + skew));
    }
    Instant before = storeTime();

    Together.run(
        nodes.size(),
        n -> {
          Clock clock = Clock.offset(Clock.systemUTC(), SKEWS[n].plusMillis(37L * n));
          for (int i = 0; i < 12; i++) {
            awaitNextPeriod(clock, period);
            job(nodes.get(n)).run(Job.every(period), run -> ticks.add(run.tick()));
          }
        });

    Instant after = storeTime();
    assertThat(ticks).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(6);
    assertThat(ticks)
        .as("ticks of the store's clock")
        .allMatch(
            tick -> !tick.isBefore(before.minus(period)) && !tick.isAfter(after.plus(period)));
    List<Instant> inOrder = ticks.stream().sorted().toList();
    for (int i = 1; i < inOrder.size(); i++) {
      assertThat(Duration.between(inOrder.get(i - 1), inOrder.get(i)))
          .as("between ticks")
          .isGreaterThan(period.multipliedBy(9).dividedBy(10));
    }
  }

  private static void awaitNextPeriod(Clock clock, Duration period) {
    long next = (clock.millis() / period.toMillis() + 1) * period.toMillis();
    for (long left = next - clock.millis(); left > 0; left = next - clock.millis()) {
      LockSupport.parkNanos(left * 1_000_000);
    }
  }

  /** Each node comes with the minute that its own clock shows; time moves by ten seconds. */
  @Test
  void nodesWhoseClocksDifferByMinutesRunEachCronTimeOnce() {
    Map<Instant, Integer> runs = new TreeMap<>();
    Map<String, List<Job.Outcome<Integer>>> outcomes = new TreeMap<>();
    List<Pawl> nodes = List.of(pawl("early"), pawl("behind"), pawl("right"), pawl("late"));
    for (int step = 0; step < 60; step++) {
      Clock right = Clock.fixed(TICK.plusSeconds(10L * step), ZoneOffset.UTC);
      for (int n = 0; n < nodes.size(); n++) {
        Instant now = Clock.offset(right, SKEWS[n]).instant();
        Instant cron = now.truncatedTo(ChronoUnit.MINUTES);
        if (now.isBefore(cron.plusSeconds(10))) {
          Job.Outcome<Integer> outcome =
              job(nodes.get(n))
                  .run(
                      cron,
                      run -> {
                        return runs.merge(run.tick(), 1, Integer::sum);
                      });
          outcomes.computeIfAbsent(nodes.get(n).label(), l -> new ArrayList<>()).add(outcome);
        }
      }
    }
    assertThat(runs.values()).containsOnly(1);
    assertThat(outcomes.get("early")).allMatch(o -> o instanceof Job.Outcome.Ran).hasSize(10);
    List<Job.Outcome<Integer>> late = outcomes.getOrDefault("late", List.of());
    assertThat(late)
        .as("a late node finds it done")
        .allMatch(o -> o instanceof Job.Outcome.AlreadyDone)
        .hasSize(10);
    assertThat(((Job.Outcome.AlreadyDone<Integer>) late.get(9)).by()).hasValue("early");
  }

  @Test
  void aPeriodIsRunOnceByTheStoresClock() throws Exception {
    Job.Tick tick = Job.every(Duration.ofHours(1));
    List<Instant> ticks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      if (job(pawl("n" + i)).run(tick, TICK_OF) instanceof Job.Outcome.Ran<Instant> ran) {
        ticks.add(ran.result());
      }
    }
    assertThat(ticks).hasSize(1);
    assertThat(Duration.between(ticks.get(0), storeTime()))
        .isBetween(Duration.ofMinutes(-6), Duration.ofMinutes(7));
  }

  @Test
  void aPeriodOfAYearIsRunOnceAndItsMarkIsKept() {
    Job.Tick tick = Job.every(Duration.ofDays(366));
    assertThat(job(pawl("a")).run(tick, run -> 1)).isInstanceOf(Job.Outcome.Ran.class);
    pass(Duration.ofSeconds(2));
    assertThat(job(pawl("b")).run(tick, run -> 1)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aNameIsKeptForAsLongAsToldThoughTheTickIsDone() throws Exception {
    Duration least = Duration.ofSeconds(2);
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    Job other =
        madeInTime(
            least,
            name -> {
              assertThat(a.job(name, options()).atLeastFor(least).run(TICK, run -> 1))
                  .isInstanceOf(Job.Outcome.Ran.class);
              Job sameOfB = b.job(name, options());
              assertThat(sameOfB.run(TICK, run -> 2)).isInstanceOf(Job.Outcome.AlreadyDone.class);
              Job.Outcome.RunningElsewhere<Integer> kept =
                  as(
                      Job.Outcome.RunningElsewhere.class,
                      sameOfB.run(TICK.plusMillis(137), run -> 2));
              assertThat(kept.by()).hasValue("a");
              return sameOfB;
            });

    pass(least);
    eventually(
        "the name is free",
        () -> other.run(TICK.plusMillis(137), run -> 2) instanceof Job.Outcome.Ran);
  }

  @Test
  @Needs(Capability.INSPECT)
  void ticksThatNobodyRanAreReported() {
    Duration period = Duration.ofSeconds(1);
    Job job = watched("a");
    Job.Outcome.Ran<Instant> first = as(Job.Outcome.Ran.class, job.run(Job.every(period), TICK_OF));
    pass(Duration.ofSeconds(3));
    Job.Outcome.Ran<Instant> second =
        as(Job.Outcome.Ran.class, job.run(Job.every(period), TICK_OF));

    isReported();
    assertThat(missed.get(0).job()).isEqualTo(name());
    assertThat(missed.get(0).first()).isEqualTo(first.result().plus(period));
    assertThat(missed.get(0).last()).isEqualTo(second.result().minus(period));
    assertThat(missed.get(0).ticks()).isGreaterThanOrEqualTo(2);
  }

  @Test
  @Needs(Capability.INSPECT)
  void aTickThatWasPassedOverIsReported() {
    Job a = job(pawl("a"));
    a.run(TICK, run -> 1);
    a.run(TICK.plusSeconds(120), run -> 3);
    Instant between = TICK.plusSeconds(60);

    assertThat(watched("b").run(between, run -> 2)).isInstanceOf(Job.Outcome.AlreadyDone.class);

    isReported();
    assertThat(missed).containsExactly(new Job.Missed(name(), between, between, 1));
  }

  @Test
  @Needs(Capability.INSPECT)
  void aTickThatALongRunKeptEverybodyFromIsReported() {
    Job b = watched("b");
    Instant between = TICK.plusSeconds(60);
    job(pawl("a"))
        .run(
            TICK,
            run -> {
              assertThat(b.run(between, again -> 2))
                  .isInstanceOf(Job.Outcome.RunningElsewhere.class);
              return 1;
            });

    assertThat(b.run(TICK.plusSeconds(120), run -> 3)).isInstanceOf(Job.Outcome.Ran.class);

    isReported();
    assertThat(missed).containsExactly(new Job.Missed(name(), between, between, 1));
  }

  @Test
  @Needs(Capability.INSPECT)
  void aTickThatFailedAndWasLeftToNobodyIsReported() {
    job(pawl("a")).run(TICK, run -> 1);
    Instant left = TICK.plusSeconds(60);
    job(pawl("a")).retryElsewhere(1).run(left, failing("no modem"));

    assertThat(watched("b").run(TICK.plusSeconds(120), run -> 3))
        .isInstanceOf(Job.Outcome.Ran.class);

    isReported();
    assertThat(missed).containsExactly(new Job.Missed(name(), left, left, 1));
  }

  private Job watched(String label) {
    return job(pawl(label)).onMissed(missed::add);
  }

  private void isReported() {
    eventually("it is reported", () -> !missed.isEmpty());
    assertThat(missed).hasSize(1);
  }
}
