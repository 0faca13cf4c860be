package dev.pawl.engine.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.engine.Logged;
import dev.pawl.engine.SimNetwork;
import dev.pawl.engine.SimNode;
import dev.pawl.engine.SimServer;
import dev.pawl.engine.World;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In simulated time: what the store is told at the end of a run, and what was not run. */
class JobEndingTest {

  private static final long SECOND = 1_000_000_000;
  private static final Instant TICK = Instant.ofEpochSecond(1_700_002_000);
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private World world;
  private SimServer server;
  private final List<SimNode> nodes = new ArrayList<>();
  private final List<Job.Missed> missed = new ArrayList<>();

  @BeforeEach
  void start() {
    world = new World(1);
    server = new SimServer(world, 1.0, (name, claim) -> {});
    for (int i = 0; i < 3; i++) {
      nodes.add(new SimNode(world, server, "n" + i, 1.0, SimNetwork.Faults.NONE));
    }
    server.signals = (id, signal) -> nodes.get(id.charAt(1) - '0').signal(signal);
  }

  // A body that throws.

  @Test
  void aFailureIsLeftToAnotherAsOftenAsTold() {
    List<Boolean> retried = new ArrayList<>();
    for (int node : List.of(0, 1, 2)) {
      retried.add(failed(outcome(job(node).retryElsewhere(2).runOrStandBy(TICK, failing()))));
    }
    assertThat(retried).containsExactly(true, true, false);
    assertThat(state().mark()).hasValue(TICK.toEpochMilli());
  }

  @Test
  void aFailureThatCannotBeCountedEndsItsTick() {
    nodes.get(0).network.journalDown = true;

    boolean retried = failed(outcome(job(0).retryElsewhere(2).runOrStandBy(TICK, failing())));

    assertThat(retried).isFalse();
    assertThat(state().mark()).hasValue(TICK.toEpochMilli());
    assertThat(outcome(job(1).runOrStandBy(TICK, run -> 1)))
        .isInstanceOf(Job.Outcome.AlreadyDone.class);
  }

  @Test
  void aFailureThatCanBeCountedButNotNotedEndsItsTick() {
    CompletableFuture<? extends Job.Outcome<?>> end =
        job(0)
            .retryElsewhere(2)
            .runOrStandBy(
                TICK,
                run -> {
                  // The journal is read as soon as the body has thrown, and written after that.
                  world.in(1, () -> nodes.get(0).network.journalDown = true);
                  throw new IllegalStateException("no modem");
                });

    assertThat(failed(outcome(end))).isFalse();
    assertThat(state().mark()).hasValue(TICK.toEpochMilli());
  }

  @Test
  void aTickThatIsLeftIsRunByTheNext() {
    Job.Outcome<?> left =
        outcome(
            job(0)
                .runOrStandBy(
                    TICK,
                    run -> {
                      run.leave("the disk is full");
                      throw new IllegalStateException("which does not matter any more");
                    }));

    assertThat(left).isInstanceOf(Job.Outcome.Left.class);
    assertThat(((Job.Outcome.Left<?>) left).reason()).isEqualTo("the disk is full");
    assertThat(livingHolders()).isZero();
    assertThat(outcome(job(1).runOrStandBy(TICK, run -> 1))).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aStandbyRunsATickThatIsLeft() {
    List<CompletableFuture<? extends Job.Outcome<?>>> ends = new ArrayList<>();
    ends.add(
        job(0)
            .runOrStandBy(
                TICK,
                run -> {
                  ends.add(job(1).runOrStandBy(TICK, again -> 1));
                  run.leave("not here");
                }));
    assertThat(outcome(ends.get(0))).isInstanceOf(Job.Outcome.Left.class);
    assertThat(outcome(ends.get(1))).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aTickFarAheadOfTheStoresClockIsRefusedAndBlocksNothing() {
    CompletableFuture<?> typo = job(0).runOrStandBy(TICK.plus(Duration.ofDays(366)), run -> 1);
    assertThatThrownBy(() -> outcome(typo))
        .hasRootCauseInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("ahead of the store's clock");

    assertThat(livingHolders()).isZero();
    assertThat(outcome(job(1).runOrStandBy(TICK, run -> 1))).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aTickADayAheadIsTakenAsItIs() {
    assertThat(outcome(job(0).runOrStandBy(TICK.plusSeconds(80_000), run -> 1)))
        .isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aMarkAheadOfTheClockIsWarnedOfOnceAndSetBack() {
    try (Logged logged = Logged.by(NotRun.class)) {
      outcome(job(0).runOrStandBy(TICK.plusSeconds(80_000), run -> 1));
      Job late = job(1);
      assertThat(outcome(late.runOrStandBy(TICK, run -> 1)))
          .isInstanceOf(Job.Outcome.AlreadyDone.class);
      assertThat(outcome(late.runOrStandBy(Job.every(PERIOD), run -> 1)))
          .isInstanceOf(Job.Outcome.AlreadyDone.class);
      assertThat(logged.lines()).hasSize(1);
      assertThat(logged.lines().get(0)).contains("sms", "ahead of the store's clock", "pawl jobs");
    }
    server.apply(
        new Command.Reset(
            Job.PREFIX + "sms", TICK.plusSeconds(80_000).toEpochMilli(), OptionalLong.empty()));
    assertThat(outcome(job(1).runOrStandBy(TICK, run -> 1))).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aClockThatIsAheadIsWarnedOfOnceAndNotWithEveryTick() {
    try (Logged logged = Logged.by(NotRun.class)) {
      for (int i = 0; i < 5; i++) { // Each is a job object of its own, as integrations have it.
        Instant tick = TICK.plusSeconds(i);
        outcome(job(0).runOrStandBy(tick.plusSeconds(120), run -> 1));
        assertThat(outcome(job(1).runOrStandBy(tick, run -> 1)))
            .isInstanceOf(Job.Outcome.AlreadyDone.class);
      }
      assertThat(logged.lines()).hasSize(1);
    }
  }

  @Test
  void aFailureIsLoggedOnce() {
    try (Logged logged = Logged.by(JobRun.class)) {
      var ignored = outcome(job(0).runOrStandBy(TICK, failing()));
      assertThat(logged.lines()).hasSize(1);
      assertThat(logged.lines().get(0)).contains("sms", "no modem");
    }
  }

  @Test
  void nullUsesUpNoTick() {
    Job.Body<Integer> none = null;
    Job.Tick never = null;
    assertThatThrownBy(() -> job(0).run(TICK, none)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> job(0).runOrStandBy(TICK, none))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> job(0).run(never, run -> 1)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> job(0).onMissed(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> job(0).atMostFor(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> Job.every(null)).isInstanceOf(NullPointerException.class);
    assertThat(server.names).isEmpty();
  }

  // A name that is kept.

  @Test
  void aNameIsKeptByAClaimThatNobodyRenews() {
    Job.Outcome<Integer> ran =
        outcome(job(0).atLeastFor(Duration.ofSeconds(30)).runOrStandBy(TICK, run -> 1));

    assertThat(ran).isInstanceOf(Job.Outcome.Ran.class);
    assertThat(state().mark()).hasValue(TICK.toEpochMilli());
    nodes.get(0).kill();
    runFor(29 * SECOND);
    assertThat(livingHolders()).isEqualTo(1);
    runFor(2 * SECOND);
    assertThat(livingHolders()).isZero();
  }

  @Test
  void aRunWhoseClaimWasGoneHasNotDoneItsTickThoughItsNameWasToBeKept() {
    for (Duration least : List.of(Duration.ZERO, Duration.ofSeconds(30))) {
      Job job = least.isZero() ? job(0) : job(0).atLeastFor(least);
      Job.Outcome<Integer> end =
          outcome(
              job.runOrStandBy(
                  TICK,
                  run -> {
                    server.apply(new Command.Evict(Job.PREFIX + "sms", run.token()));
                    return 1;
                  }));

      assertThat(end).isInstanceOf(Job.Outcome.Failed.class);
      assertThat(((Job.Outcome.Failed<Integer>) end).error())
          .isInstanceOf(LeaseLostException.class);
      runFor(SECOND);
      assertThat(livingHolders()).as("who keeps it for nobody").isZero();
    }
    assertThat(outcome(job(1).runOrStandBy(TICK, run -> 1))).isInstanceOf(Job.Outcome.Ran.class);
  }

  @Test
  void aLostReplyToTheEndOfARunIsNotALoss() {
    for (Duration least : List.of(Duration.ZERO, Duration.ofSeconds(30))) {
      Job job = least.isZero() ? job(0) : job(1).atLeastFor(least);
      SimNode node = nodes.get(least.isZero() ? 0 : 1);
      Job.Outcome<Integer> end =
          outcome(
              job.runOrStandBy(
                  TICK.plus(least),
                  run -> {
                    node.network.faults = new SimNetwork.Faults(0, 100, 0, 100, 0);
                    world.in(SECOND, () -> node.network.faults = SimNetwork.Faults.NONE);
                    return 1;
                  }));

      assertThat(end).isInstanceOf(Job.Outcome.Ran.class);
      assertThat(state().mark()).hasValue(TICK.plus(least).toEpochMilli());
    }
  }

  // Ticks that nobody ran.

  @Test
  void whoeverReturnsAfterAllNodesWereDownReportsThePeriodsBetween() {
    Instant first = everyTick(0);
    runFor(45 * SECOND);
    Instant second = everyTick(1);

    long between = Duration.between(first, second).dividedBy(PERIOD) - 1;
    assertThat(between).isBetween(3L, 4L);
    assertThat(missed)
        .containsExactly(new Job.Missed("sms", first.plus(PERIOD), second.minus(PERIOD), between));
    runFor(10 * SECOND);
    everyTick(2);
    assertThat(missed).as("reported once").hasSize(1);
  }

  @Test
  void periodsAreReportedByTheJournalWhenTheStoreHasForgottenTheMark() {
    Instant first = everyTick(0);
    runFor(45 * SECOND);
    server.names.clear();
    Instant second = everyTick(1);

    assertThat(missed).hasSize(1);
    assertThat(missed.get(0).first()).isEqualTo(first.plus(PERIOD));
    assertThat(missed.get(0).last()).isEqualTo(second.minus(PERIOD));
  }

  @Test
  void theFirstRunOfAJobHasMissedNothing() {
    everyTick(0);
    outcome(watched(1).runOrStandBy(TICK.plusSeconds(60), run -> 1));
    assertThat(missed).isEmpty();
  }

  @Test
  void aTickOfAScheduleThatBeganAndWasLeftToNobodyIsReported() {
    outcome(watched(0).runOrStandBy(TICK, run -> 1));
    Instant left = TICK.plusSeconds(60);
    outcome(watched(0).retryElsewhere(1).runOrStandBy(left, failing()));
    outcome(watched(1).runOrStandBy(TICK.plusSeconds(120), run -> 1));

    assertThat(missed).containsExactly(new Job.Missed("sms", left, left, 1));
  }

  @Test
  void aStoreThatDoesNotAnswerAboutThePastDoesNotKeepARunBack() {
    everyTick(0);
    nodes.get(1).network.journalDown = true;

    assertThat(outcome(watched(1).runOrStandBy(TICK.plusSeconds(60), run -> 1)))
        .isInstanceOf(Job.Outcome.Ran.class);
  }

  private Instant everyTick(int node) {
    Job.Outcome<Instant> outcome =
        outcome(watched(node).runOrStandBy(Job.every(PERIOD), (Job.Body<Instant>) Job.Run::tick));
    assertThat(outcome).isInstanceOf(Job.Outcome.Ran.class);
    return ((Job.Outcome.Ran<Instant>) outcome).result();
  }

  private Job job(int node) {
    return new NodeJob(nodes.get(node).engine, "sms", LockOptions.DEFAULT, () -> {});
  }

  private Job watched(int node) {
    return job(node).onMissed(missed::add);
  }

  private static Job.Body<Integer> failing() {
    return run -> {
      throw new IllegalStateException("no modem");
    };
  }

  private static boolean failed(Job.Outcome<?> outcome) {
    assertThat(outcome).isInstanceOf(Job.Outcome.Failed.class);
    return ((Job.Outcome.Failed<?>) outcome).retried();
  }

  private LockState state() {
    return server.names.get(Job.PREFIX + "sms");
  }

  private long livingHolders() {
    LockState state = server.names.getOrDefault(Job.PREFIX + "sms", LockState.EMPTY);
    return state.holders().stream().filter(h -> h.untilMicros() > server.micros()).count();
  }

  private <T> T outcome(CompletableFuture<? extends T> future) {
    while (!future.isDone()) {
      assertThat(world.step(Long.MAX_VALUE)).isTrue();
    }
    return future.join();
  }

  private void runFor(long nanos) {
    long end = world.now() + nanos;
    world.in(nanos, () -> {});
    while (world.step(end)) {}
  }
}
