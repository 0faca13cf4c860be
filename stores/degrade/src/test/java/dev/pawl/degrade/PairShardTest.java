package dev.pawl.degrade;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.memory.MemoryStore;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.PairStatus;
import dev.pawl.spi.PairStatus.Mode;
import dev.pawl.spi.RenewReply;
import dev.pawl.testkit.ForwardingStore;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A primary whose driver says where a name lives, or fails to. */
@Timeout(60)
class PairShardTest {

  private static final class Sharded extends ForwardingStore {
    volatile boolean shutDown;
    volatile Runnable onShard = () -> {};

    /** While it is not done, the locks do not return: nobody knows the tokens of this store. */
    volatile CompletableFuture<Void> tokens = CompletableFuture.completedFuture(null);

    Sharded() {
      super(new MemoryStore());
    }

    @Override
    public String shard(String name) {
      onShard.run();
      if (shutDown) {
        throw new IllegalStateException("the client is not active");
      }
      return "shard of " + name;
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return command.name().startsWith("pawl:pair-token:")
          ? tokens.thenCompose(known -> super.acquire(command))
          : super.acquire(command);
    }
  }

  private static final Command.Acquire CLAIM =
      new Command.Acquire(
          "x",
          new ClaimId("node", 1),
          Command.EVERYTHING,
          Command.EVERYTHING,
          Duration.ofMinutes(5).toNanos() / 1_000,
          1,
          OptionalLong.empty(),
          true,
          true,
          "node",
          "");

  private final Sharded primary = new Sharded();

  private static void move(PairStore pair, Mode to) {
    PairStatus before = pair.status().toCompletableFuture().join();
    pair.move(before, to, "alice", "a test").toCompletableFuture().join();
  }

  private static void await(PairStore pair, Mode mode) {
    while (pair.status().toCompletableFuture().join().mode() != mode) {
      LockSupport.parkNanos(10_000_000);
    }
  }

  @Test
  void aPrimaryThatDoesNotSayWhereANameLivesDoesNotKeepTheBackupsRenewalFromIt() {
    try (PairStore pair = PairStore.open(primary, new MemoryStore(), PairOptions.DEFAULT)) {
      move(pair, Mode.BACKUP);
      await(pair, Mode.BACKUP);
      assertThat(pair.acquire(CLAIM).toCompletableFuture().join())
          .isInstanceOf(AcquireReply.Granted.class);
      primary.tokens = new CompletableFuture<>();
      move(pair, Mode.PRIMARY);
      PairState state = pair.state();
      while (!state.locked(after -> state.claims.find(CLAIM.claim()).primary.held)) {
        LockSupport.parkNanos(10_000_000);
      }
      assertThat(pair.mode()).contains("returning");
      primary.shutDown = true;
      Command.Renew renewal =
          new Command.Renew("x", CLAIM.claim(), CLAIM.permits(), CLAIM.leaseMicros(), "");
      assertThat(pair.renew(List.of(renewal)).toCompletableFuture().join())
          .singleElement()
          .isInstanceOf(RenewReply.Held.class);
    }
  }

  @Test
  void aDriverIsAskedWhereANameLivesWithoutTheLockOfThePair() {
    try (PairStore pair = PairStore.open(primary, new MemoryStore(), PairOptions.DEFAULT)) {
      assertThat(pair.shard("x")).isEqualTo("shard of x");
      primary.onShard =
          () ->
              assertThat(CompletableFuture.supplyAsync(pair::mode))
                  .succeedsWithin(Duration.ofSeconds(30));
      assertThat(pair.shard("x")).isEqualTo("shard of x");
      primary.shutDown = true;
      assertThat(pair.shard("x")).isEmpty();
    }
  }
}
