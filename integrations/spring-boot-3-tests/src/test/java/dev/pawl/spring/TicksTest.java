package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.SimpleTriggerContext;

/** Which tick a run is for, whatever its clock says. */
class TicksTest {

  private final Ticks ticks = new Ticks();

  private static SimpleTriggerContext at(String now) {
    return new SimpleTriggerContext(Clock.fixed(Instant.parse(now), ZoneOffset.UTC));
  }

  @Test
  void aLateRunIsForTheTimeItWasScheduledFor() {
    Trigger trigger = ticks.of(new CronTrigger("0 * * * * *"));
    trigger.nextExecution(at("2026-03-01T11:59:10Z"));
    // The run begins months later by this clock, and the trigger was not asked again.
    assertThat(ticks.take()).isEqualTo("2026-03-01T12:00:00Z");
    assertThat(ticks.take()).isNull();
  }

  @Test
  void aTimerThatIsEarlyIsForTheTimeItWasSetTo() {
    Trigger trigger = ticks.of(new CronTrigger("0 * * * * *"));
    trigger.nextExecution(at("2026-03-01T11:59:59.998Z"));
    assertThat(ticks.take()).isEqualTo("2026-03-01T12:00:00Z");
  }

  @Test
  void aSchedulerThatAsksForTheNextTimeBeforeTheTaskBeginsMixesUpNothing() {
    Trigger trigger = ticks.of(new CronTrigger("0 * * * * *"));
    trigger.nextExecution(at("2026-03-01T11:59:10Z"));
    SimpleTriggerContext fired = at("2026-03-01T12:00:00.005Z");
    Instant noon = Instant.parse("2026-03-01T12:00:00Z");
    fired.update(noon, noon, noon.plusMillis(4));
    assertThat(trigger.nextExecution(fired)).isEqualTo("2026-03-01T12:01:00Z");

    assertThat(ticks.take()).isEqualTo("2026-03-01T12:00:00Z");
    assertThat(ticks.take()).isEqualTo("2026-03-01T12:01:00Z");
  }

  @Test
  void ticksRiseThroughTheHourThatComesTwiceAndTheHourThatDoesNotCome() {
    for (String night : List.of("2026-10-24T20:00:00Z", "2026-03-28T20:00:00Z")) {
      List<Instant> first = night("0 */30 * * * *", Instant.parse(night), 0);
      // A node that is busy for a while at each run sees a part of the same times.
      List<Instant> second = night("0 */30 * * * *", Instant.parse(night), 45 * 60);
      assertThat(first).isSorted().doesNotHaveDuplicates().containsAll(second);
      assertThat(first).hasSize(24);
    }
  }

  @Test
  void aDailyTimeInTheHourThatComesTwiceIsTwoTicksAsSpringHasIt() {
    List<Instant> runs = night("0 30 2 * * *", Instant.parse("2026-10-23T20:00:00Z"), 0);
    assertThat(runs.subList(0, 4))
        .containsExactly(
            Instant.parse("2026-10-24T00:30:00Z"),
            Instant.parse("2026-10-25T00:30:00Z"),
            Instant.parse("2026-10-25T01:30:00Z"),
            Instant.parse("2026-10-26T01:30:00Z"));
  }

  private static List<Instant> night(String cron, Instant start, long busySeconds) {
    Ticks ticks = new Ticks();
    Trigger trigger = ticks.of(new CronTrigger(cron, ZoneId.of("Europe/Berlin")));
    List<Instant> runs = new ArrayList<>();
    SimpleTriggerContext context = new SimpleTriggerContext(Clock.fixed(start, ZoneOffset.UTC));
    while (runs.size() < 24) {
      Instant next = trigger.nextExecution(context);
      Instant end = next.plusSeconds(busySeconds).plusMillis(3);
      context = new SimpleTriggerContext(Clock.fixed(end, ZoneOffset.UTC));
      context.update(next, next, end);
      runs.add(ticks.take());
    }
    return busySeconds == 0 ? runs : runs.subList(0, 10);
  }
}
