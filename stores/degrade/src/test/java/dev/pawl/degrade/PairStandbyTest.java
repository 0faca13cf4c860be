package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.Pawl;
import dev.pawl.degrade.PrimaryModeConformanceTest.Shared;
import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Callers that stand by for a tick while the locks return. */
@Timeout(120)
@Tag("safety")
class PairStandbyTest {

  /** A backup that tells its node nothing, and is asked for news only when a test lets it. */
  private static final class Late extends ForwardingStore {
    private final CompletableFuture<Boolean> open;
    private final CountDownLatch queued = new CountDownLatch(1);

    Late(LockStore store, CompletableFuture<Boolean> open) {
      super(store);
      this.open = open;
    }

    @Override
    public Subscription subscribe(String node, Consumer<Signal> listener) {
      return () -> {};
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return super.acquire(command)
          .thenApply(
              reply -> {
                if (reply instanceof AcquireReply.Queued) {
                  queued.countDown();
                }
                return reply;
              });
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return open.thenCompose(now -> super.renew(commands));
    }

    @Override
    public void close() {}
  }

  private static void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      LockSupport.parkNanos(5_000_000);
    }
  }

  private static void move(PairStore pair, PairStore other, Mode to) {
    pair.status()
        .thenCompose(seen -> pair.move(seen, to, "alice", "a test"))
        .toCompletableFuture()
        .join();
    Optional<String> mode = Optional.of(to.name().toLowerCase(Locale.ROOT));
    await(() -> pair.mode().equals(mode) && other.mode().equals(mode));
  }

  @Test
  void whoIsGrantedInTheBackupWhenTheTickIsDoneInThePrimaryHearsThatItIsDone() throws Exception {
    MemoryStore primary = new MemoryStore();
    MemoryStore backup = new MemoryStore();
    CompletableFuture<Boolean> open = new CompletableFuture<>();
    Late late = new Late(backup, open);
    PairOptions options = PairOptions.DEFAULT.withReturnAfter(Duration.ofMillis(500));
    Instant tick = Instant.parse("2026-01-01T00:00:00Z");
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (PairStore first = PairStore.open(new Shared(primary), new Shared(backup), options);
        PairStore second = PairStore.open(new Shared(primary), late, options);
        Pawl runner = Pawl.builder(first).build();
        Pawl standby = Pawl.builder(second).build()) {
      move(first, second, Mode.BACKUP);
      var ran =
          runner
              .job("sms")
              .runOrStandBy(
                  tick,
                  run -> {
                    running.countDown();
                    end.await();
                  });
      running.await();
      var waits = standby.job("sms").runOrStandBy(tick, run -> {});
      late.queued.await(); // Who does not renew is no waiter any more after two seconds.
      move(first, second, Mode.PRIMARY);
      end.countDown();
      assertThat(ran.get(60, TimeUnit.SECONDS)).isInstanceOf(Job.Outcome.Ran.class);
      open.complete(true);
      assertThat(waits.get(60, TimeUnit.SECONDS)).isInstanceOf(Job.Outcome.AlreadyDone.class);
      await(() -> backup.list(Listing.inUse("", 10)).toCompletableFuture().join().isEmpty());
    }
  }
}
