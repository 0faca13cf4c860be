package dev.pawl.console.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.PastRun;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which ticks are called missed: none that nobody had scheduled. */
class MissedTicksTest {

  private static final Instant NOON = Instant.parse("2026-11-18T12:00:00Z");
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private static PastRun run(Instant tick, PastRun.Ending ending, Optional<Duration> period) {
    return new PastRun("job", tick, 1, "app", tick, MINUTE, ending, Optional.empty(), period);
  }

  private static List<PastRun> everyMinute(double... minutes) {
    List<PastRun> runs = new ArrayList<>();
    for (double minute : minutes) {
      Instant tick = NOON.plusMillis((long) (minute * 60_000));
      runs.add(0, run(tick, PastRun.Ending.RAN, Optional.of(MINUTE)));
    }
    return runs;
  }

  private static Instant minute(long minute) {
    return NOON.plus(MINUTE.multipliedBy(minute));
  }

  /** At eight in Berlin, over the end of summer time; and once not on a Wednesday. */
  @Test
  void aScheduleOfWeekdaysMissesNoWeekend() {
    List<PastRun> runs = new ArrayList<>();
    LocalDate first = LocalDate.of(2026, 10, 12);
    for (LocalDate day = first; day.isBefore(first.plusWeeks(4)); day = day.plusDays(1)) {
      boolean weekend =
          day.getDayOfWeek() == DayOfWeek.SATURDAY || day.getDayOfWeek() == DayOfWeek.SUNDAY;
      if (!weekend && day.getDayOfMonth() != 14) {
        Instant tick =
            day.atTime(LocalTime.of(8, 0)).atZone(ZoneId.of("Europe/Berlin")).toInstant();
        runs.add(0, run(tick, PastRun.Ending.RAN, Optional.empty()));
      }
    }
    assertThat(runs).hasSize(19);
    assertThat(MissedTicks.of(runs)).isEmpty();
  }

  @Test
  void ofAPeriodWhatLiesBetweenTwoThatAreDoneIsMissed() {
    assertThat(MissedTicks.of(everyMinute(0, 1, 2, 3))).isEmpty();
    assertThat(MissedTicks.of(everyMinute(0, 1, 3, 4, 7)))
        .containsExactly(minute(2), minute(5), minute(6));
    assertThat(MissedTicks.of(List.of())).isEmpty();
  }

  /** Two runs of different nodes are up to one and a half periods apart. */
  @Test
  void aTickThatComesLateIsNotMissed() {
    assertThat(MissedTicks.of(everyMinute(0, 1.5, 2.1, 3.6))).isEmpty();
    assertThat(MissedTicks.of(everyMinute(0, 1.7))).containsExactly(minute(1));
  }

  @Test
  void wherePeriodsChangeTheLongerOneCounts() {
    List<PastRun> runs = new ArrayList<>(everyMinute(15, 16));
    for (int minute = 10; minute >= 0; minute -= 5) {
      runs.add(run(minute(minute), PastRun.Ending.RAN, Optional.of(Duration.ofMinutes(5))));
    }
    assertThat(MissedTicks.of(runs)).isEmpty();
  }

  @Test
  void ofAScheduleATickThatWasBegunAndNotCompletedIsMissedWhenALaterOneIsDone() {
    PastRun lost = run(minute(1), PastRun.Ending.LOST, Optional.empty());
    PastRun takenOver = run(minute(1), PastRun.Ending.RAN, Optional.empty());
    PastRun later = run(minute(7), PastRun.Ending.FAILED, Optional.empty());

    assertThat(MissedTicks.of(List.of(lost))).isEmpty();
    assertThat(MissedTicks.of(List.of(later, lost))).containsExactly(minute(1));
    assertThat(MissedTicks.of(List.of(later, takenOver, lost))).isEmpty();
    // Of a period it is one of those between, and counted once.
    PastRun left = run(minute(1), PastRun.Ending.LEFT, Optional.of(MINUTE));
    List<PastRun> runs = new ArrayList<>(everyMinute(0, 2));
    runs.add(1, left);
    assertThat(MissedTicks.of(runs)).containsExactly(minute(1));
  }

  @Test
  void aTickThatIsRunAgainOnPurposeChangesNothing() {
    List<PastRun> runs = new ArrayList<>(everyMinute(0, 1, 2, 3));
    runs.add(0, run(minute(1), PastRun.Ending.RAN, Optional.empty()));
    assertThat(MissedTicks.of(runs)).isEmpty();
  }

  @Test
  void ofAsManyAsNobodyCountsTheLatestAreKept() {
    assertThat(MissedTicks.of(everyMinute(0, 2, 1_000)))
        .hasSize(MissedTicks.MOST)
        .startsWith(minute(800))
        .endsWith(minute(999));
  }
}
