package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Sound stores that differ from one in memory in how they answer. */
final class OtherKinds {

  private static final long MOST_DELAY_NANOS = 3_000_000;

  private OtherKinds() {}

  private static void takeTime() {
    LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(MOST_DELAY_NANOS));
  }

  /** Answers and signals a little later, in any order, from threads of its own. */
  static final class Late extends Slow {
    private final Executor network = new ForkJoinPool(8);

    @Override
    <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command) {
      return CompletableFuture.runAsync(OtherKinds::takeTime, network)
          .thenCompose(there -> command.get())
          .thenApplyAsync(
              reply -> {
                takeTime();
                return reply;
              },
              network);
    }

    @Override
    void deliver(String node, Signal signal) {
      network.execute(
          () -> {
            takeTime();
            super.deliver(node, signal);
          });
    }
  }

  /** Does its I/O in the thread that calls it. */
  static final class Blocking extends Slow {
    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command) {
      takeTime();
      return command.get();
    }
  }

  /** Keeps names in several shards. */
  static final class Sharded extends BendableStore {
    @Override
    public String shard(String name) {
      return "" + Math.floorMod(name.hashCode(), 3);
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return commands.stream().map(each -> shard(each.name())).distinct().count() <= 1
          ? super.renew(commands)
          : CompletableFuture.failedFuture(new IllegalArgumentException("shards are mixed up"));
    }
  }

  private abstract static class Slow extends BendableStore {

    abstract <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command);

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return slowly(() -> super.acquire(command));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return slowly(() -> super.renew(commands));
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return slowly(() -> super.release(command));
    }

    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
      return slowly(() -> super.yieldGrant(command));
    }

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return slowly(() -> super.cancel(command));
    }

    @Override
    public CompletionStage<EvictReply> evict(Command.Evict command) {
      return slowly(() -> super.evict(command));
    }

    @Override
    public CompletionStage<Optional<LockInfo>> find(String name) {
      return slowly(() -> super.find(name));
    }

    @Override
    public CompletionStage<List<LockInfo>> list(String prefix, int limit) {
      return slowly(() -> super.list(prefix, limit));
    }
  }
}
