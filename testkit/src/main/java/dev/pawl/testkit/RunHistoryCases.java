package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.InvalidNameException;
import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** What an operator reads of a job's runs: who ran which tick, when, and how it ended. */
@Needs({Capability.MARKS, Capability.INSPECT})
abstract class RunHistoryCases extends WithJobs {

  RunHistoryCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aRunIsReadWithEverythingThatIsKnownOfIt() {
    Pawl a = pawl("a");
    Instant before = storeTime();
    long asked = System.nanoTime();
    Job.Outcome.Ran<Integer> ran = as(Job.Outcome.Ran.class, job(a).run(TICK, run -> 1));
    Duration way = Duration.ofNanos(System.nanoTime() - asked);
    Instant after = storeTime();

    List<PastRun> runs = pawl("reader").inspector().runs(name(), 10);

    assertThat(runs)
        .containsExactly(
            new PastRun(
                name(),
                TICK,
                ran.token(),
                "a",
                runs.get(0).start(),
                ran.took(),
                PastRun.Ending.RAN,
                Optional.empty(),
                Optional.empty()));
    // The store's reading came with the grant, and is as old as its way here.
    assertThat(runs.get(0).start()).isBetween(before.minus(APART), after.plus(way).plus(APART));
  }

  @Test
  void aRunOfAPeriodIsReadWithThePeriod() {
    Pawl a = pawl("a");
    job(a).run(Job.every(Duration.ofMinutes(1)), run -> 1);

    assertThat(pawl("reader").inspector().runs(name(), 10))
        .extracting(PastRun::period)
        .containsExactly(Optional.of(Duration.ofMinutes(1)));
  }

  @Test
  void howRunsEndedIsReadTheNewestFirst() {
    job(pawl("a")).retryElsewhere(1).run(TICK, failing("no modem"));
    job(pawl("b")).retryElsewhere(1).run(TICK, failing("no line"));
    job(pawl("c")).run(TICK.plusSeconds(60), run -> 1);

    List<PastRun> runs = pawl("reader").inspector().runs(name(), 10);

    assertThat(runs).extracting(PastRun::node).containsExactly("c", "b", "a");
    assertThat(runs).extracting(PastRun::tick).containsExactly(TICK.plusSeconds(60), TICK, TICK);
    assertThat(runs)
        .extracting(PastRun::ending)
        .containsExactly(PastRun.Ending.RAN, PastRun.Ending.FAILED, PastRun.Ending.RETRIED);
    assertThat(runs.get(0).error()).isEmpty();
    assertThat(runs.get(1).error()).hasValueSatisfying(e -> assertThat(e).contains("no line"));
    assertThat(runs.get(2).error()).hasValueSatisfying(e -> assertThat(e).contains("no modem"));
    assertThat(runs.get(0).token()).isGreaterThan(runs.get(1).token());
    assertThat(pawl("other").inspector().runs(name(), 2)).isEqualTo(runs.subList(0, 2));
  }

  @Test
  void runsAreFoundAmongOtherEntriesAndThoseOfOtherJobs() {
    Pawl a = pawl("a");
    a.job(name("x"), options()).run(TICK, run -> 1);
    a.job(name("y"), options()).run(TICK, run -> 1);
    for (int i = 0; i < 12; i++) {
      Replies.of(
          store()
              .journal()
              .append(JournalEntry.Kind.LEASE_LOST, Job.PREFIX + name("x"), i, "a", Map.of()));
    }
    // Of a version that is not written yet.
    Replies.of(
        store()
            .journal()
            .append(
                JournalEntry.Kind.JOB_RUN,
                Job.PREFIX + name("x"),
                1,
                "a",
                Map.of("tick", "noon", "outcome", "eventful", "duration", "PT1S")));

    assertThat(a.inspector().runs(name("x"), 1))
        .extracting(PastRun::job)
        .containsExactly(name("x"));
    assertThat(a.inspector().runs(name("z"), 10)).isEmpty();
    assertThat(a.inspector().runs(1_000))
        .extracting(PastRun::job)
        .filteredOn(job -> job.startsWith(prefix()))
        .containsExactly(name("y"), name("x"));
  }

  @Test
  void aRunThatWasLostIsReadAsLost() {
    Pawl reader = pawl("reader");
    job(pawl("a"))
        .atMostFor(Duration.ofMillis(200))
        .run(
            TICK,
            run -> {
              new CountDownLatch(1).await(); // Until it is interrupted.
              return 1;
            });

    eventually(
        "it is journalled",
        () ->
            reader.inspector().runs(name(), 1).stream()
                .anyMatch(run -> run.ending() == PastRun.Ending.LOST));
  }

  @Test
  void whatCannotBeAskedIsRefused() {
    var inspector = pawl("a").inspector();
    assertThatThrownBy(() -> inspector.runs(name(), 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limit");
    assertThatThrownBy(() -> inspector.runs("\n", 1)).isInstanceOf(InvalidNameException.class);
  }
}
