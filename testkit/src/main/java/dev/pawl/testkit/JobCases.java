package dev.pawl.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.InvalidNameException;
import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.LeaseLostException;
import dev.pawl.Pawl;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Jobs: one run for each tick in the whole cluster. */
abstract class JobCases extends WithJobs {

  JobCases(StoreConformance suite) {
    super(suite);
  }

  @Test
  void eightNodesRunATickOnce() throws Exception {
    List<Pawl> nodes = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      nodes.add(pawl("n" + i));
    }
    for (int t = 0; t < 3; t++) {
      Instant tick = TICK.plusSeconds(60L * t);
      AtomicInteger runs = new AtomicInteger();
      AtomicInteger ran = new AtomicInteger();
      Together.run(
          8,
          i -> {
            Job.Outcome<Integer> outcome = job(nodes.get(i)).run(tick, counting(runs));
            if (outcome instanceof Job.Outcome.Ran) {
              ran.incrementAndGet();
            } else {
              assertThat(outcome)
                  .isInstanceOfAny(
                      Job.Outcome.AlreadyDone.class, Job.Outcome.RunningElsewhere.class);
            }
          });
      assertThat(runs).as("runs of tick " + t).hasValue(1);
      assertThat(ran).hasValue(1);
    }
    nobodyIsLeft();
  }

  @Test
  void eightStandbysRunATickOnceAndAllAreAnswered() throws Exception {
    AtomicInteger runs = new AtomicInteger();
    List<CompletableFuture<Job.Outcome<Integer>>> ends = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      ends.add(job(pawl("n" + i)).runOrStandBy(TICK, counting(runs)));
    }
    int ran = 0;
    for (CompletableFuture<Job.Outcome<Integer>> end : ends) {
      ran += get(end) instanceof Job.Outcome.Ran ? 1 : 0;
    }
    assertThat(runs).hasValue(1);
    assertThat(ran).isEqualTo(1);
  }

  @Test
  void aTickThatIsDoneSaysByWhomAndWhen() {
    Job.Outcome.Ran<String> ran =
        as(Job.Outcome.Ran.class, job(pawl("a")).run(TICK, run -> "sent " + run.tick()));
    assertThat(ran.result()).isEqualTo("sent " + TICK);
    assertThat(ran.token()).isPositive();
    assertThat(ran.took()).isGreaterThanOrEqualTo(Duration.ZERO);

    Job.Outcome.AlreadyDone<Integer> done =
        as(Job.Outcome.AlreadyDone.class, job(pawl("b")).run(TICK, run -> 2));

    assertThat(done.latest()).isEqualTo(TICK);
    assertThat(done.by()).hasValue("a");
    assertThat(done.at()).isPresent();
    assertThat(job(pawl("c")).run(TICK.minusSeconds(60), run -> 3))
        .isInstanceOf(Job.Outcome.AlreadyDone.class);
    Job.Outcome.Ran<Integer> next =
        as(Job.Outcome.Ran.class, job(pawl("d")).run(TICK.plusSeconds(60), run -> 4));
    assertThat(next.token()).isGreaterThan(ran.token());
  }

  @Test
  void aTickThatIsRunSaysWhereAndSinceWhen() {
    Job elsewhere = job(pawl("b"));
    Job.Outcome<Job.Outcome<Integer>> outer =
        job(pawl("a"))
            .run(
                TICK,
                run -> {
                  return elsewhere.run(TICK, inner -> 1);
                });

    Job.Outcome.Ran<Job.Outcome<Integer>> ran = as(Job.Outcome.Ran.class, outer);
    Job.Outcome.RunningElsewhere<Integer> inner =
        as(Job.Outcome.RunningElsewhere.class, ran.result());
    assertThat(inner.by()).hasValue("a");
    assertThat(inner.since()).isPresent();
  }

  @Test
  @Needs(Capability.FAIR)
  void aStandbyIsDismissedWhenTheRunnerFinishes() throws Exception {
    Pawl b = pawl("b");
    List<CompletableFuture<Job.Outcome<String>>> standby = new ArrayList<>();
    AtomicInteger runs = new AtomicInteger();

    job(pawl("a"))
        .run(
            TICK,
            run -> {
              standby.add(job(b).runOrStandBy(TICK, again -> "" + runs.incrementAndGet()));
              standsBy("b");
              return "";
            });

    assertThat(get(standby.get(0))).isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(runs).hasValue(0);
    nobodyIsLeft();
  }

  @Test
  void aStandbyTakesOverFromARunnerThatStallsAndTheLateRunnerIsTold() throws Exception {
    StallingStore stalling = new StallingStore(store());
    Pawl a =
        closedAtTheEnd(
            Pawl.builder(stalling).label("a").responseTimeout(LONG).defaults(brief()).build());
    Pawl b = pawl("b");
    CountDownLatch began = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    Job.Body<String> stallingBody =
        run -> {
          run.onLost(told::countDown);
          began.countDown();
          stalling.stalls = true;
          new CountDownLatch(1).await(); // Until it is interrupted.
          return "late";
        };
    Background<Job.Outcome<String>> late =
        Background.start(
            "runner",
            () -> {
              Job.Outcome<String> outcome = a.job(name(), brief()).run(TICK, stallingBody);
              while (began.getCount() > 0) { // So brief a lease may end before the body begins.
                outcome = a.job(name(), brief()).run(TICK, stallingBody);
              }
              return outcome;
            });
    assertThat(began.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();

    Job.Outcome.Ran<String> taken =
        as(Job.Outcome.Ran.class, get(job(b).runOrStandBy(TICK, run -> "taken over")));

    assertThat(taken.result()).isEqualTo("taken over");
    assertThat(told.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    Job.Outcome.Failed<String> lost = as(Job.Outcome.Failed.class, late.result());
    assertThat(lost.error()).isInstanceOf(LeaseLostException.class);
    assertThat(lost.token()).as("the late token is stale").isLessThan(taken.token());
    assertThat(lost.retried()).isTrue();
    stalling.stalls = false; // So that the end of the node is not waited for.
  }

  @Test
  void aRunThatTakesTooLongIsInterruptedAndLeftToAnother() throws Exception {
    Job.Outcome.Failed<String> slow =
        as(
            Job.Outcome.Failed.class,
            job(pawl("a"))
                .atMostFor(Duration.ofMillis(200))
                .run(
                    TICK,
                    run -> {
                      new CountDownLatch(1).await();
                      return "";
                    }));

    assertThat(slow.error()).isInstanceOf(LeaseLostException.class);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
    assertThat(get(job(pawl("b")).runOrStandBy(TICK, run -> 1)))
        .isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aRunKnowsHowLongItMayCountOnItsLease() {
    List<Job.Run> seen = new ArrayList<>();
    List<Duration> left = new ArrayList<>();

    job(pawl("a"))
        .run(
            TICK,
            run -> {
              seen.add(run);
              left.add(run.remaining());
              run.ensureHeld();
              return 1;
            });

    assertThat(left.get(0)).isPositive().isLessThanOrEqualTo(options().lease());
    assertThat(seen.get(0).remaining()).as("after its end").isZero();
    assertThat(seen.get(0).isHeld()).isFalse();
  }

  @Test
  @Needs(Capability.EVICT)
  void aRunThatWasReleasedByForceHasNotDoneItsTick() {
    for (Job job : List.of(job(pawl("a")), job(pawl("b")).atLeastFor(Duration.ofSeconds(30)))) {
      Job.Outcome.Failed<Integer> lost =
          as(
              Job.Outcome.Failed.class,
              job.run(
                  TICK,
                  run -> {
                    releaseByForce(run.token());
                    return 1;
                  }));
      assertThat(lost.error()).isInstanceOf(LeaseLostException.class);
      nobodyIsLeft();
    }
    assertThat(job(pawl("c")).run(TICK, run -> 2)).isInstanceOf(Job.Outcome.Ran.class);
  }

  /** Elsewhere, and waited for without being interrupted: this thread is about to be. */
  private void releaseByForce(long token) {
    Command.Evict evict = new Command.Evict(Job.PREFIX + name(), token);
    assertThat(CompletableFuture.supplyAsync(() -> Replies.of(store().evict(evict))).join())
        .isInstanceOf(EvictReply.Evicted.class);
  }

  @Test
  void aBodyThatThrowsHasDoneItsTick() {
    IllegalStateException oops = new IllegalStateException("no modem");
    Job.Outcome.Failed<Integer> failed =
        as(
            Job.Outcome.Failed.class,
            job(pawl("a"))
                .run(
                    TICK,
                    run -> {
                      throw oops;
                    }));

    assertThat(failed.error()).isSameAs(oops);
    assertThat(failed.retried()).isFalse();
    assertThat(job(pawl("b")).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aBodyThatThrowsIsRetriedElsewhereAsOftenAsTold() {
    List<Boolean> retried = new ArrayList<>();
    for (String node : List.of("a", "b", "c")) {
      Job.Outcome.Failed<Integer> failed =
          as(
              Job.Outcome.Failed.class,
              job(pawl(node))
                  .retryElsewhere(2)
                  .run(
                      TICK,
                      run -> {
                        throw new IllegalStateException("no modem");
                      }));
      retried.add(failed.retried());
    }

    assertThat(retried).containsExactly(true, true, false);
    assertThat(job(pawl("d")).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aTickThatIsLeftIsRunByWhoeverComesNext() {
    Job.Outcome<?> left =
        job(pawl("a")).run(TICK, run -> run.leave("not enough room on this host"));

    assertThat(left).isInstanceOf(Job.Outcome.Left.class);
    assertThat(job(pawl("b")).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  @Needs(Capability.INSPECT)
  void aTickThatIsDoneByMistakeIsSetBack() {
    Pawl a = pawl("a");
    Instant mistake = TICK.plusSeconds(3_600);
    job(a).run(mistake, run -> 1);
    assertThat(job(a).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.AlreadyDone.class);

    assertThat(a.inspector().resetJob(name(), TICK, Optional.empty(), "me", "typo")).isFalse();
    assertThat(a.inspector().resetJob(name(), mistake, Optional.of(TICK), "me", "typo")).isTrue();

    assertThat(job(a).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.AlreadyDone.class);
    assertThat(job(a).run(TICK.plusSeconds(60), run -> 1)).isInstanceOf(Job.Outcome.Ran.class);
    JournalEntry entry =
        a.inspector().journal(Job.PREFIX + name(), 10).stream()
            .filter(each -> each.kind() == JournalEntry.Kind.JOB_RESET)
            .findFirst()
            .orElseThrow();
    assertThat(entry.details())
        .containsEntry("by", "me")
        .containsEntry("reason", "typo")
        .containsEntry("from", mistake.toString())
        .containsEntry("to", TICK.toString());
  }

  @Test
  void aTickFarAheadIsRefusedAndUsesUpNothing() {
    Instant typo = Instant.parse("2126-01-01T00:00:00Z");
    assertThatThrownBy(() -> job(pawl("a")).run(typo, run -> 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ahead of the store's clock");
    assertThat(job(pawl("b")).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aJobAndALockOfOneNameHaveNothingToDoWithEachOther() throws Exception {
    Pawl a = pawl("a");
    try (var lease = a.lock(name()).acquire()) {
      assertThat(job(pawl("b")).run(TICK, run -> 1)).isInstanceOf(Job.Outcome.Ran.class);
      assertThat(lease.isHeld()).isTrue();
    }
  }

  @Test
  @Needs(Capability.FAIR)
  void aStandbyThatIsCancelledLeavesTheQueue() throws Exception {
    Pawl b = pawl("b");
    AtomicInteger runs = new AtomicInteger();
    job(pawl("a"))
        .retryElsewhere(1)
        .run(
            TICK,
            run -> {
              var standby = job(b).runOrStandBy(TICK, again -> runs.incrementAndGet());
              standsBy("b");
              standby.cancel(true);
              throw new IllegalStateException("left to another");
            });
    nobodyIsLeft();
    assertThat(get(job(pawl("c")).runOrStandBy(TICK, run -> 1)))
        .isInstanceOf(Job.Outcome.Ran.class);
    assertThat(runs).hasValue(0);
  }

  @Test
  void closingANodeInterruptsItsRunsAndAnswersItsStandbys() throws Exception {
    Pawl a = pawl("a");
    Pawl b = pawl("b");
    CountDownLatch began = new CountDownLatch(1);
    CompletableFuture<Job.Outcome<String>> running =
        job(a)
            .runOrStandBy(
                TICK,
                run -> {
                  began.countDown();
                  new CountDownLatch(1).await();
                  return "";
                });
    assertThat(began.await(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Job.Outcome<Integer>> waiting = job(b).runOrStandBy(TICK, run -> 1);

    b.close();
    assertThatThrownBy(() -> get(waiting)).hasRootCauseInstanceOf(IllegalStateException.class);
    a.close();

    assertThat(get(running)).isInstanceOf(Job.Outcome.Failed.class);
    assertThat(get(job(pawl("c")).runOrStandBy(TICK, run -> 2)))
        .isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void whatMakesNoSenseIsRefused() {
    Pawl a = pawl("a");
    Job job = job(a);
    assertThatThrownBy(() -> a.job("")).isInstanceOf(InvalidNameException.class);
    assertThatThrownBy(() -> a.job("x".repeat(252))).isInstanceOf(InvalidNameException.class);
    assertThat(a.job("x".repeat(251)).name()).hasSize(251);
    for (Instant tick : List.of(Instant.MIN, Instant.EPOCH.minusMillis(1), Instant.MAX)) {
      assertThatThrownBy(() -> job.run(tick, run -> 1))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("tick");
    }
    assertThat(Job.every(Duration.ofDays(366))).isNotNull();
    assertThatThrownBy(() -> Job.every(Duration.ofDays(367)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Job.every(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> job.atMostFor(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> job.atLeastFor(Duration.ofDays(2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> job.retryElsewhere(-1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(calls(a)).as("round trips").isEmpty();
  }
}
