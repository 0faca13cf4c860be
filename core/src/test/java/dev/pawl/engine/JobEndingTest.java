package dev.pawl.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Command;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** In simulated time: what the store is told at the end of a run, and what was not run. */
class JobEndingTest {

  private static final long SECOND = 1_000_000_000;
  private static final Instant TICK = Instant.parse("2026-11-15T12:00:00Z");
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
    CompletableFuture<Job.Outcome<Integer>> end =
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
        outcome(watched(node).runOrStandBy(Job.every(PERIOD), run -> run.tick()));
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

  private static boolean failed(Job.Outcome<Integer> outcome) {
    assertThat(outcome).isInstanceOf(Job.Outcome.Failed.class);
    return ((Job.Outcome.Failed<Integer>) outcome).retried();
  }

  private LockState state() {
    return server.names.get(Job.PREFIX + "sms");
  }

  private long livingHolders() {
    LockState state = server.names.getOrDefault(Job.PREFIX + "sms", LockState.EMPTY);
    return state.holders().stream().filter(h -> h.untilMicros() > server.micros()).count();
  }

  private <T> T outcome(CompletableFuture<T> future) {
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
