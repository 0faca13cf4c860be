package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.JobControl;
import dev.pawl.JournalEntry;
import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Register;
import dev.pawl.spi.RegisterReply;
import dev.pawl.spi.Registers;
import dev.pawl.testkit.CountingStore.Call;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What operators decide about a job, and how every node obeys. */
@Needs({Capability.MARKS, Capability.INSPECT, Capability.REGISTERS})
abstract class JobControlCases extends WithJobs {

  private static final int CROWD = 8;

  private @Nullable Pawl operator;

  JobControlCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void aPausedJobIsRunByNobodyUntilItIsResumed() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    AtomicInteger runs = new AtomicInteger();
    assertThat(inspector().pauseJob(name(), "Ada", "the modem burns")).isTrue();

    Job.Outcome.Paused<Integer> paused =
        as(Job.Outcome.Paused.class, job(a).run(TICK, counting(runs)));
    assertThat(paused.by()).isEqualTo("Ada");
    assertThat(paused.reason()).isEqualTo("the modem burns");
    assertThat(get(job(b).runOrStandBy(TICK, counting(runs))))
        .isInstanceOf(Job.Outcome.Paused.class);
    assertThat(job(b).run(Job.every(Duration.ofMinutes(1)), counting(runs)))
        .isInstanceOf(Job.Outcome.Paused.class);
    assertThat(runs).hasValue(0);
    nobodyIsLeft();

    assertThat(inspector().resumeJob(name(), "Ada", "a new one")).isTrue();

    assertThat(job(b).run(TICK, counting(runs))).isInstanceOf(Job.Outcome.Ran.class);
    assertThat(runs).hasValue(1);
  }

  @Test
  void aPauseIsSeenWithWhoAndWhyAndSinceWhen() {
    Instant before = storeTime();
    inspector().pauseJob(name(), "Zoë \t op", "it's 100%\n\\ burnt");

    JobControl.Pause pause = pawl("a").inspector().jobControl(name()).pause().orElseThrow();

    assertThat(pause.by()).isEqualTo("Zoë \t op");
    assertThat(pause.reason()).isEqualTo("it's 100%\n\\ burnt");
    assertThat(pause.since()).isBetween(before.minus(APART), storeTime().plus(APART));
    assertThat(inspector().jobControls(1_000))
        .filteredOn(control -> control.job().equals(name()))
        .singleElement()
        .satisfies(control -> assertThat(control.pause()).contains(pause));
    inspector().resumeJob(name(), "Ada", "done");
    assertThat(inspector().jobControls(1_000)).noneMatch(control -> control.job().equals(name()));
  }

  @Test
  void whoeverPausesFirstHasPausedIt() {
    assertThat(inspector().resumeJob(name(), "Ada", "nobody has")).isFalse();
    assertThat(inspector().pauseJob(name(), "Ada", "first")).isTrue();
    assertThat(pawl("b").inspector().pauseJob(name(), "Bob", "second")).isFalse();

    assertThat(inspector().jobControl(name()).pause().orElseThrow().by()).isEqualTo("Ada");
    assertThat(pawl("c").inspector().resumeJob(name(), "Bob", "enough")).isTrue();
    assertThat(kinds())
        .containsExactly(JournalEntry.Kind.JOB_RESUMED, JournalEntry.Kind.JOB_PAUSED);
    assertThat(inspector().journal(Job.PREFIX + name(), 1).get(0).details())
        .containsEntry("by", "Bob")
        .containsEntry("reason", "enough");
  }

  @Test
  @Needs(Capability.FAIR)
  void aRunThatHasBegunGoesOnAndItsStandbyDoesNotTakeOver() throws Exception {
    inTime(
        ASKED_ONCE,
        name -> {
          Pawl b = pawl("b");
          AtomicInteger taken = new AtomicInteger();
          List<CompletableFuture<Job.Outcome<Integer>>> standby = new ArrayList<>();

          Job.Outcome<Integer> left =
              pawl("a")
                  .job(name, options())
                  .run(
                      TICK,
                      run -> {
                        standby.add(b.job(name, options()).runOrStandBy(TICK, counting(taken)));
                        waitsInTheStore(Job.PREFIX + name, "b");
                        inspector().pauseJob(name, "Ada", "no more");
                        run.ensureHeld();
                        run.leave("to another");
                        return 1;
                      });

          assertThat(left).isInstanceOf(Job.Outcome.Left.class);
          assertThat(get(standby.get(0))).isInstanceOf(Job.Outcome.Paused.class);
          assertThat(taken).hasValue(0);
          assertThat(calls(b).get(Call.REGISTER))
              .as("it looks once, and stands by no more")
              .isEqualTo(1);
        });
    nobodyIsLeft();
  }

  @Test
  void aTickThatMayRunAgainRunsOnceMoreAndNoOtherTickDoes() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    Job.Outcome.Ran<Integer> first =
        as(Job.Outcome.Ran.class, job(pawl("first")).run(TICK, counting(runs)));
    assertThat(inspector().permitRerun(name(), TICK, "Ada", "it sent nothing")).isTrue();
    List<Pawl> nodes = new ArrayList<>();
    for (int i = 0; i < CROWD; i++) {
      nodes.add(pawl("n" + i));
    }
    assertThat(job(nodes.get(0)).run(TICK.minusSeconds(60), counting(runs)))
        .as("an earlier tick")
        .isInstanceOf(Job.Outcome.AlreadyDone.class);

    List<Job.Outcome.Ran<Integer>> again = new CopyOnWriteArrayList<>();
    Together.run(
        CROWD,
        i -> {
          Job.Outcome<Integer> outcome =
              i % 2 == 0
                  ? job(nodes.get(i)).run(TICK, counting(runs))
                  : get(job(nodes.get(i)).runOrStandBy(TICK, counting(runs)));
          if (outcome instanceof Job.Outcome.Ran<Integer> ran) {
            again.add(ran);
          } else {
            assertThat(outcome)
                .isInstanceOfAny(Job.Outcome.AlreadyDone.class, Job.Outcome.RunningElsewhere.class);
          }
        });

    assertThat(runs).hasValue(2);
    assertThat(again).hasSize(1);
    assertThat(again.get(0).token()).isGreaterThan(first.token());
    assertThat(inspector().jobControl(name())).isEqualTo(JobControl.none(name()));
    assertThat(mark()).isEqualTo(TICK.toEpochMilli());
    assertThat(job(nodes.get(0)).run(TICK, counting(runs)))
        .isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(inspector().runs(name(), 10)).hasSize(2);
    nobodyIsLeft();
  }

  @Test
  void anEarlierTickMayRunAgainAndTheLatestStays() {
    Pawl a = pawl("a");
    AtomicInteger runs = new AtomicInteger();
    job(a).run(TICK, counting(runs));
    job(a).run(TICK.plusSeconds(60), counting(runs));
    inspector().permitRerun(name(), TICK, "Ada", "it sent nothing");

    assertThat(job(a).run(TICK.plusSeconds(60), counting(runs)))
        .isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(job(a).run(TICK, run -> "" + run.tick()))
        .isInstanceOfSatisfying(
            Job.Outcome.Ran.class, ran -> assertThat(ran.result()).isEqualTo("" + TICK));
    assertThat(mark()).isEqualTo(TICK.plusSeconds(60).toEpochMilli());
    assertThat(job(a).run(TICK.plusSeconds(120), counting(runs)))
        .isInstanceOf(Job.Outcome.Ran.class);
    assertThat(runs).hasValue(3);
  }

  @Test
  void theLatestTickOfAPeriodMayRunAgain() {
    Pawl a = pawl("a");
    AtomicInteger runs = new AtomicInteger();
    Job.Tick daily = Job.every(Duration.ofDays(1));
    job(a).run(daily, counting(runs));
    assertThat(job(a).run(daily, counting(runs))).isInstanceOf(Job.Outcome.AlreadyDone.class);
    Instant tick = Instant.ofEpochMilli(mark());

    assertThat(inspector().permitRerun(name(), tick, "Ada", "it sent nothing")).isTrue();

    assertThat(job(pawl("b")).run(daily, counting(runs))).isInstanceOf(Job.Outcome.Ran.class);
    assertThat(job(a).run(daily, counting(runs))).isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(runs).hasValue(2);
    assertThat(mark()).isEqualTo(tick.toEpochMilli());
  }

  @Test
  void aTickThatIsNotDoneNeedsNoPermitAndOneThatHasOneNoOther() {
    assertThat(inspector().permitRerun(name(), TICK, "Ada", "too early")).isFalse();
    job(pawl("a")).run(TICK, run -> 1);
    assertThat(inspector().permitRerun(name(), TICK.plusSeconds(1), "Ada", "too early")).isFalse();
    assertThat(inspector().permitRerun(name(), TICK, "Ada", "again")).isTrue();
    assertThat(inspector().permitRerun(name(), TICK, "Bob", "again")).isFalse();
    assertThat(inspector().jobControl(name()).permits())
        .singleElement()
        .satisfies(permit -> assertThat(permit.by()).isEqualTo("Ada"));

    assertThat(inspector().withdrawRerun(name(), TICK, "Bob", "not needed")).isTrue();

    assertThat(inspector().withdrawRerun(name(), TICK, "Bob", "not needed")).isFalse();
    assertThat(job(pawl("b")).run(TICK, run -> 2)).isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(kinds())
        .containsExactly(
            JournalEntry.Kind.JOB_RERUN_WITHDRAWN,
            JournalEntry.Kind.JOB_RERUN,
            JournalEntry.Kind.JOB_RUN);
  }

  @Test
  void aRunThatIsLostLeavesThePermitToAnother() throws Exception {
    job(pawl("a")).run(TICK, run -> 1);
    inspector().permitRerun(name(), TICK, "Ada", "again");

    assertThat(
            job(pawl("b"))
                .atMostFor(Duration.ofMillis(200))
                .run(
                    TICK,
                    run -> {
                      new CountDownLatch(1).await();
                      return 2;
                    }))
        .isInstanceOf(Job.Outcome.Failed.class);
    assertThat(get(job(pawl("c")).runOrStandBy(TICK, run -> 3)))
        .isInstanceOf(Job.Outcome.Ran.class);
    assertThat(job(pawl("d")).run(TICK, run -> 4)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aRunThatFailsUsesThePermitUp() {
    job(pawl("a")).run(TICK, run -> 1);
    inspector().permitRerun(name(), TICK, "Ada", "again");

    assertThat(job(pawl("b")).run(TICK, failing("no modem")))
        .isInstanceOf(Job.Outcome.Failed.class);

    assertThat(inspector().jobControl(name()).permits()).isEmpty();
    assertThat(job(pawl("c")).run(TICK, run -> 3)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aPausedJobRunsNothingAgainEither() {
    job(pawl("a")).run(TICK, run -> 1);
    inspector().permitRerun(name(), TICK, "Ada", "again");
    inspector().pauseJob(name(), "Ada", "not now");

    assertThat(job(pawl("b")).run(TICK, run -> 2)).isInstanceOf(Job.Outcome.Paused.class);

    inspector().resumeJob(name(), "Ada", "now");
    assertThat(job(pawl("b")).run(TICK, run -> 2)).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aPermitIsUsedUpThoughTheStoresAnswerIsLost() {
    LosesTheAnswerToAWrite store = new LosesTheAnswerToAWrite(store());
    Pawl a = closedAtTheEnd(Pawl.builder(store).label("a").responseTimeout(LONG).build());
    job(a).run(TICK, run -> 1);
    inspector().permitRerun(name(), TICK, "Ada", "again");

    assertThat(job(a).run(TICK, run -> 2)).isInstanceOf(Job.Outcome.Ran.class);

    // More than one where an answer was late, and the question was asked beside it.
    assertThat(store.writes).hasPositiveValue();
    assertThat(job(pawl("b")).run(TICK, run -> 3)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aRunAsksForItsControlOnceAndSoDoesWhoeverFindsItDone() throws Exception {
    inTime(
        UNREPEATED,
        name -> {
          Pawl a = pawl("a");
          Pawl b = pawl("b");
          a.job(name, options()).run(TICK, run -> 1);
          assertThat(calls(a))
              .isEqualTo(
                  Map.of(Call.ACQUIRE, 1L, Call.REGISTER, 1L, Call.JOURNAL, 1L, Call.RELEASE, 1L));

          b.job(name, options()).run(TICK, run -> 1);
          assertThat(calls(b))
              .isEqualTo(Map.of(Call.ACQUIRE, 1L, Call.REGISTER, 1L, Call.JOURNAL, 1L));
        });
  }

  @Test
  void whoAndWhyAreNeeded() {
    assertThatThrownBy(() -> inspector().pauseJob(name(), " ", "why"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> inspector().resumeJob(name(), "who", ""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> inspector().permitRerun(name(), TICK, "who", "w".repeat(501)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("501");
  }

  private Inspector inspector() {
    if (operator == null) {
      operator = pawl("operator");
    }
    return operator.inspector();
  }

  private static final class LosesTheAnswerToAWrite extends ForwardingStore {
    private final AtomicInteger writes = new AtomicInteger();

    LosesTheAnswerToAWrite(LockStore next) {
      super(next);
    }

    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new Registers() {
        @Override
        public CompletionStage<Register> read(String key) {
          return next.read(key);
        }

        @Override
        public CompletionStage<RegisterReply> compareAndSet(Register seen, Optional<String> value) {
          return next.compareAndSet(seen, value)
              .thenCompose(
                  reply ->
                      writes.incrementAndGet() > 1
                          ? CompletableFuture.completedFuture(reply)
                          : CompletableFuture.failedFuture(
                              new OutcomeUnknownException("the reply was lost", null)));
        }

        @Override
        public CompletionStage<List<Register>> list(String prefix, int limit) {
          return next.list(prefix, limit);
        }
      };
    }
  }

  private long mark() {
    return inspector().find(Job.PREFIX + name()).map(LockInfo::mark).orElseThrow().getAsLong();
  }

  private List<JournalEntry.Kind> kinds() {
    return inspector().journal(Job.PREFIX + name(), 10).stream().map(JournalEntry::kind).toList();
  }
}
