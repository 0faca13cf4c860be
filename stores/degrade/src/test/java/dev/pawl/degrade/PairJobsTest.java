package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LeaseLostException;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.Pawl;
import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs on a pair. */
@Timeout(60)
class PairJobsTest {

  private static final Instant TICK = Instant.parse("2026-01-01T00:00:00Z");
  private static final PairOptions OPTIONS =
      PairOptions.DEFAULT.withModeLease(Duration.ofSeconds(10));

  private static PairStatus status(PairStore pair) {
    return pair.status().toCompletableFuture().join();
  }

  private static void move(PairStore pair, Mode to) {
    pair.move(status(pair), to, "alice", "a test").toCompletableFuture().join();
    while (status(pair).mode() != to) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static MemoryStore withClockOff(Duration off) {
    return new MemoryStore(
        () ->
            TimeUnit.NANOSECONDS.toMicros(System.nanoTime()) + (1L << 50) + off.toNanos() / 1_000);
  }

  @Test
  @Tag("safety")
  void aTickWhoseBackupIsAwayIsInDoubtAndSaysSo() {
    CutOffStore backup = new CutOffStore(new MemoryStore());
    try (PairStore pair = PairStore.open(new MemoryStore(), backup, OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      Job.Outcome<?> outcome = pawl.job("sms").run(TICK, run -> backup.away = true);
      assertThat(outcome).isInstanceOf(Job.Outcome.Failed.class);
      assertThat(((Job.Outcome.Failed<?>) outcome).error())
          .isInstanceOf(OutcomeUnknownException.class)
          .hasMessageContaining("could not be told yet");
      backup.away = false;
    }
  }

  @Test
  @Tag("safety")
  void aPeriodIsCountedByOneClockThoughThoseOfTheStoresDifferByMinutes() throws Exception {
    try (PairStore pair =
            PairStore.open(
                withClockOff(Duration.ofMinutes(-10)),
                withClockOff(Duration.ofMinutes(10)),
                OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      Job job = pawl.job("report");
      Job.Tick every = Job.every(Duration.ofMinutes(5));
      long start = pair.nowMicros().toCompletableFuture().join();
      assertThat(job.run(every, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      move(pair, Mode.BACKUP);
      assertThat(job.run(every, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);
      move(pair, Mode.PRIMARY);
      assertThat(job.run(every, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);
      long end = pair.nowMicros().toCompletableFuture().join();
      assertThat(end - start).isBetween(0L, TimeUnit.MINUTES.toMicros(2));
    }
  }

  @Test
  void aNameThatIsKeptIsKeptAcrossAReturnAndNotAcrossLeaving() throws Exception {
    try (PairStore pair = PairStore.open(new MemoryStore(), new MemoryStore(), OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      Job job = pawl.job("sms").atLeastFor(Duration.ofHours(1));
      assertThat(job.run(TICK, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      assertThat(job.run(TICK.plusSeconds(60), run -> {}))
          .isInstanceOf(Job.Outcome.RunningElsewhere.class);
      move(pair, Mode.BACKUP);
      assertThat(job.run(TICK.plusSeconds(60), run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      move(pair, Mode.PRIMARY);
      assertThat(job.run(TICK.plusSeconds(120), run -> {}))
          .isInstanceOf(Job.Outcome.RunningElsewhere.class);
    }
  }

  @Test
  void aNodeThatHasKeptANameLeavesTheListWhenItCloses() throws Exception {
    MemoryStore primary = new MemoryStore();
    MemoryStore backup = new MemoryStore();
    try (PairStore watcher = PairStore.open(new Shared(primary), new Shared(backup), OPTIONS)) {
      try (PairStore pair = PairStore.open(new Shared(primary), new Shared(backup), OPTIONS);
          Pawl pawl = Pawl.builder(pair).build()) {
        Job job = pawl.job("sms").atLeastFor(Duration.ofHours(1));
        assertThat(job.run(TICK, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
        assertThat(status(watcher).nodes()).hasSize(2);
      }
      assertThat(status(watcher).nodes()).hasSize(1);
    }
  }

  @Test
  void aNameThatWasKeptIsForgottenWhenItsTimeIsUp() throws Exception {
    try (PairStore pair = PairStore.open(new MemoryStore(), new MemoryStore(), OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      for (int i = 0; i < 5; i++) {
        Job job = pawl.job("sms" + i).atLeastFor(Duration.ofMillis(300));
        assertThat(job.run(TICK, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      }
      while (pair.state().locked(after -> pair.state().claims.size()) > 0) {
        LockSupport.parkNanos(10_000_000);
      }
    }
  }

  /** A store whose messages do not arrive. */
  private static final class Silent extends ForwardingStore {
    Silent(LockStore store) {
      super(store);
    }

    @Override
    public Subscription subscribe(String node, Consumer<Signal> listener) {
      return super.subscribe(node, signal -> {});
    }
  }

  @Test
  @Tag("safety")
  void aRunThatWasReleasedByForceHasNotDoneItsTickThoughItDidNotHearOfIt() {
    MemoryStore primary = new MemoryStore();
    MemoryStore backup = new MemoryStore();
    try (PairStore operator = PairStore.open(new Shared(primary), new Shared(backup), OPTIONS);
        PairStore pair = PairStore.open(new Silent(primary), new Silent(backup), OPTIONS);
        Pawl pawl = Pawl.builder(pair).build()) {
      for (Job job : List.of(pawl.job("a"), pawl.job("b").atLeastFor(Duration.ofHours(1)))) {
        Job.Outcome<?> lost =
            job.run(
                TICK,
                run ->
                    operator
                        .evict(new Command.Evict(Job.PREFIX + job.name(), run.token()))
                        .toCompletableFuture()
                        .join());
        assertThat(lost).isInstanceOf(Job.Outcome.Failed.class);
        assertThat(((Job.Outcome.Failed<?>) lost).error()).isInstanceOf(LeaseLostException.class);
        assertThat(job.run(TICK, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
        assertThat(job.run(TICK, run -> {})).isNotInstanceOf(Job.Outcome.Ran.class);
      }
    }
  }
}
