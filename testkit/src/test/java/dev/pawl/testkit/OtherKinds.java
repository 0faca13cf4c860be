package dev.pawl.testkit;

import dev.pawl.LockInfo;
import dev.pawl.StoreUnavailableException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.EvictReply;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.Registers;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.ResetReply;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/** Sound stores that differ from one in memory in how they answer. */
final class OtherKinds {

  private static final Executor NETWORK = new ForkJoinPool(8);

  private OtherKinds() {}

  /** How long something is under way: mostly a moment, now and then much longer. */
  private static long delayNanos() {
    ThreadLocalRandom random = ThreadLocalRandom.current();
    int dice = random.nextInt(200);
    long millis = dice == 0 ? random.nextLong(200, 350) : dice < 10 ? random.nextLong(30, 80) : 0;
    return TimeUnit.MILLISECONDS.toNanos(millis) + random.nextLong(3_000_000);
  }

  private static Executor later() {
    return CompletableFuture.delayedExecutor(delayNanos(), TimeUnit.NANOSECONDS, NETWORK);
  }

  /** Answers later, in any order, from threads of its own. */
  static final class Late extends Slow {
    Late(LockStore next) {
      super(next);
    }

    @Override
    <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command) {
      return CompletableFuture.supplyAsync(command, later())
          .thenCompose(Function.identity())
          .thenApplyAsync(Function.identity(), later());
    }
  }

  /** Does its I/O in the thread that calls it. */
  static final class Blocking extends Slow {
    Blocking(LockStore next) {
      super(next);
    }

    @Override
    public boolean blocking() {
      return true;
    }

    @Override
    <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command) {
      LockSupport.parkNanos(delayNanos());
      CompletionStage<R> answer = command.get();
      LockSupport.parkNanos(delayNanos());
      return answer;
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

  private abstract static class Slow extends ForwardingStore {

    private volatile boolean closed;

    Slow(LockStore next) {
      super(next);
    }

    abstract <R> CompletionStage<R> slowly(Supplier<CompletionStage<R>> command);

    private <R> CompletionStage<R> ask(Supplier<CompletionStage<R>> command) {
      return slowly(
          () ->
              closed
                  ? CompletableFuture.failedFuture(new StoreUnavailableException("closed", null))
                  : command.get());
    }

    @Override
    public Subscription subscribe(String node, Consumer<Signal> listener) {
      AtomicBoolean listens = new AtomicBoolean(true);
      Subscription subscription =
          super.subscribe(
              node,
              signal ->
                  later()
                      .execute(
                          () -> {
                            if (listens.get()) {
                              listener.accept(signal);
                            }
                          }));
      return () -> {
        listens.set(false);
        subscription.close();
      };
    }

    @Override
    public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
      return ask(() -> super.acquire(command));
    }

    @Override
    public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
      return ask(() -> super.renew(commands));
    }

    @Override
    public CompletionStage<ReleaseReply> release(Command.Release command) {
      return ask(() -> super.release(command));
    }

    @Override
    public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
      return ask(() -> super.yieldGrant(command));
    }

    @Override
    public CompletionStage<CancelReply> cancel(Command.Cancel command) {
      return ask(() -> super.cancel(command));
    }

    @Override
    public CompletionStage<EvictReply> evict(Command.Evict command) {
      return ask(() -> super.evict(command));
    }

    @Override
    public CompletionStage<ResetReply> reset(Command.Reset command) {
      return ask(() -> super.reset(command));
    }

    @Override
    public CompletionStage<Optional<LockInfo>> find(String name) {
      return ask(() -> super.find(name));
    }

    @Override
    public CompletionStage<List<LockInfo>> list(Listing listing) {
      return ask(() -> super.list(listing));
    }

    @Override
    public Registers registers() {
      Registers next = super.registers();
      return new ForwardingRegisters(
          next,
          new ForwardingRegisters.Way() {
            @Override
            public <R> CompletionStage<R> pass(Supplier<CompletionStage<R>> call) {
              return ask(call);
            }
          });
    }

    /** Closes this way to the store; the store is others' too. */
    @Override
    public void close() {
      closed = true;
    }
  }
}
