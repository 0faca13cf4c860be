package dev.pawl.degrade;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.spi.RenewReply;
import dev.pawl.spi.Signal;
import dev.pawl.testkit.ForwardingStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The way from the pair to the engine of its node on a busy machine: what the pair says is heard
 * some time later now and then, and in another order.
 */
final class SlowThreads extends ForwardingStore {

  private final Consumer<Runnable> hear;

  /** Has each message heard by {@code hear}, at once or later. */
  SlowThreads(LockStore pair, Consumer<Runnable> hear) {
    super(pair);
    this.hear = hear;
  }

  private <T> CompletionStage<T> heard(CompletionStage<T> answer) {
    CompletableFuture<T> late = new CompletableFuture<>();
    answer.whenComplete(
        (value, error) ->
            hear.accept(
                () -> {
                  if (error != null) {
                    late.completeExceptionally(error);
                  } else {
                    late.complete(value);
                  }
                }));
    return late;
  }

  @Override
  public Subscription subscribe(String node, Consumer<Signal> listener) {
    return super.subscribe(node, signal -> hear.accept(() -> listener.accept(signal)));
  }

  @Override
  public CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    return heard(super.acquire(command));
  }

  @Override
  public CompletionStage<List<RenewReply>> renew(List<Command.Renew> commands) {
    return heard(super.renew(commands));
  }

  @Override
  public CompletionStage<ReleaseReply> release(Command.Release command) {
    return heard(super.release(command));
  }

  @Override
  public CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return heard(super.yieldGrant(command));
  }

  @Override
  public CompletionStage<CancelReply> cancel(Command.Cancel command) {
    return heard(super.cancel(command));
  }
}
