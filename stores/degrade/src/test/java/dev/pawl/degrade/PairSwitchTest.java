package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.Pawl;
import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.Register;
import dev.pawl.testkit.CountingStore;
import dev.pawl.testkit.CountingStore.Call;
import dev.pawl.testservers.Measurement;
import dev.pawl.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Switches of a pair, by hand and by a primary that dies. */
@Timeout(120)
class PairSwitchTest {

  @TempDir Path directory;

  private static PairStatus status(PairStore pair) {
    return pair.status().toCompletableFuture().join();
  }

  private static void await(PairStore pair, Mode mode) {
    while (status(pair).mode() != mode) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  private static PairStatus move(PairStore pair, Mode to) {
    return pair.move(status(pair), to, "alice", "a test").toCompletableFuture().join();
  }

  private static PairOptions quick() {
    return PairOptions.DEFAULT
        .withModeLease(Duration.ofSeconds(10))
        .withDeadAfter(Duration.ofSeconds(1))
        .withReturnAfter(Duration.ofMillis(500));
  }

  @Test
  @Tag("safety")
  void leavingTellsTheHolderBeforeTheBackupGrantsAndReturningTakesNothingAway() throws Exception {
    try (PairStore pair = PairStore.open(new MemoryStore(), new MemoryStore(), quick());
        Pawl pawl = Pawl.builder(pair).build()) {
      Lease first = pawl.lock("x").acquire();
      CountDownLatch told = new CountDownLatch(1);
      CountDownLatch goOn = new CountDownLatch(1);
      first.onLost(
          () -> {
            told.countDown();
            try {
              goOn.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });

      move(pair, Mode.BACKUP);
      told.await();
      assertThat(first.isHeld()).isFalse();
      assertThat(status(pair).mode())
          .as("while what runs at the loss runs")
          .isEqualTo(Mode.LEAVING);
      assertThat(status(pair).nodes()).allMatch(node -> !node.confirmed());
      goOn.countDown();
      await(pair, Mode.BACKUP);

      Lease second = pawl.lock("x").acquire();
      assertThat(second.token()).isGreaterThan(first.token());
      CompletableFuture<Lease> waiting = pawl.lock("x").acquireAsync(Duration.ofSeconds(60));

      move(pair, Mode.PRIMARY);
      await(pair, Mode.PRIMARY);
      assertThat(second.isHeld()).isTrue();
      second.confirm();
      second.close();
      Lease third = waiting.get();
      assertThat(third.token()).isGreaterThan(second.token());
      third.close();
      assertThat(pawl.inspector().journal("pawl:pair", 10)).isNotEmpty();
    }
  }

  @Test
  @Tag("safety")
  void withoutTheBackupLeasesEndWithTheModeLeaseThoughThePrimaryIsWell() throws Exception {
    MemoryStore backup = new MemoryStore();
    try (PairStore pair =
            PairStore.open(
                new MemoryStore(), backup, quick().withModeLease(Duration.ofSeconds(2)));
        Pawl pawl = Pawl.builder(pair).build()) {
      Lease lease = pawl.lock("x").acquire();
      CountDownLatch told = new CountDownLatch(1);
      lease.onLost(told::countDown);
      backup.close();
      told.await();
      assertThat(lease.isHeld()).isFalse();
      assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
          .isInstanceOf(dev.pawl.StoreUnavailableException.class);
    }
  }

  @Test
  void inTheCalmTheBackupIsNotAskedForALock() throws Exception {
    // An acquire that is not answered within a second is sent again.
    Measurement.whereNothingStalls(PairSwitchTest::onlyThePrimaryIsAsked);
  }

  private static void onlyThePrimaryIsAsked() throws Exception {
    CountingStore primary = new CountingStore(new MemoryStore());
    CountingStore backup = new CountingStore(new MemoryStore());
    try (PairStore pair = PairStore.open(primary, backup, PairOptions.DEFAULT);
        Pawl pawl = Pawl.builder(pair).build()) {
      pawl.lock("warm").acquire().close();
      long before = primary.count(Call.ACQUIRE) + primary.count(Call.RELEASE);
      for (int i = 0; i < 10; i++) {
        pawl.lock("x" + i).acquire().close();
      }
      assertThat(primary.count(Call.ACQUIRE) + primary.count(Call.RELEASE) - before).isEqualTo(20);
      assertThat(backup.count(Call.ACQUIRE) + backup.count(Call.RELEASE)).isZero();
    }
  }

  @Test
  @Tag("safety")
  void aRedisThatIsKilledIsLeftForADatabaseAndReturnedTo() throws Exception {
    try (RedisServer redis = RedisServer.start("--appendonly", "yes");
        Pawl pawl =
            Pawl.builder(
                    redis.url()
                        + " | jdbc:sqlite:"
                        + directory.resolve("backup.db")
                        + " | mode-lease=10s&dead-after=3s&return-after=1s")
                .responseTimeout(Duration.ofSeconds(10))
                .build()) {
      long first;
      try (Lease lease = pawl.lock("invoice").acquire()) {
        first = lease.token();
      }
      redis.kill();
      long second = 0;
      while (second == 0) {
        try (Lease lease = pawl.lock("invoice").acquire()) {
          second = lease.token();
        } catch (dev.pawl.StoreUnavailableException | dev.pawl.OutcomeUnknownException e) {
          LockSupport.parkNanos(100_000_000);
        }
      }
      assertThat(second).isGreaterThan(first);
      try (Lease held = pawl.lock("held").acquire()) {
        redis.startAgain();
        long third = second;
        while (pawl.inspector().journal("pawl:pair", 10).stream()
            .noneMatch(entry -> "PRIMARY".equals(entry.details().get("mode")))) {
          try (Lease lease = pawl.lock("invoice").acquire()) {
            assertThat(lease.token()).isGreaterThan(third);
            third = lease.token();
          }
        }
        held.confirm();
        assertThat(held.isHeld()).isTrue();
      }
    }
  }

  @Test
  @Tag("safety")
  void aTickThatHasRunIsNotRunAgainAfterASwitchInEitherDirection() throws Exception {
    Instant tick = Instant.parse("2026-01-01T00:00:00Z");
    try (PairStore pair = PairStore.open(new MemoryStore(), new MemoryStore(), quick());
        Pawl pawl = Pawl.builder(pair).build()) {
      assertThat(pawl.job("sms").run(tick, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      move(pair, Mode.BACKUP);
      await(pair, Mode.BACKUP);
      assertThat(pawl.job("sms").run(tick, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);
      Instant next = tick.plusSeconds(60);
      assertThat(pawl.job("sms").run(next, run -> {})).isInstanceOf(Job.Outcome.Ran.class);
      move(pair, Mode.PRIMARY);
      await(pair, Mode.PRIMARY);
      assertThat(pawl.job("sms").run(next, run -> {})).isInstanceOf(Job.Outcome.AlreadyDone.class);
    }
  }

  @Test
  void aNodeWithAnotherPrimaryOrAnotherModeLeaseIsRefused() {
    MemoryStore primary = new MemoryStore();
    MemoryStore backup = new MemoryStore();
    try (PairStore pair = PairStore.open(primary, backup, quick())) {
      assertThat(status(pair).nodes()).hasSize(1);
      MemoryStore other = new MemoryStore();
      other.registers().compareAndSet(Register.absent("pawl:identity"), Optional.of("another"));
      assertThatThrownBy(() -> PairStore.open(other, new Shared(backup), quick()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("give all nodes the same two stores");
      assertThatThrownBy(
              () ->
                  PairStore.open(
                      new Shared(primary),
                      new Shared(backup),
                      quick().withModeLease(Duration.ofSeconds(20))))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("mode lease");
    }
  }

  @Test
  void callsToTheBackupAreBoundedAndTheRestWait() {
    List<CompletableFuture<Long>> asked = new ArrayList<>();
    // Its clock stands still: a call that waits for two seconds is not sent.
    Surroundings world = new Surroundings(() -> 0, (nanos, task) -> {}, Runnable::run, () -> {});
    Side side = Side.ofBackup(world, 2);
    side.onOpened(new MemoryStore());
    for (int i = 0; i < 5; i++) {
      CompletableFuture<Long> answer = new CompletableFuture<>();
      var unused =
          side.call(
              store -> {
                asked.add(answer);
                return answer;
              });
    }
    assertThat(asked).hasSize(2);
    assertThat(side.line().waiting()).isEqualTo(3);
    asked.get(0).complete(1L);
    assertThat(asked).hasSize(3);
    asked.get(1).completeExceptionally(new IllegalStateException());
    asked.get(2).complete(1L);
    assertThat(asked).hasSize(5);
  }
}
