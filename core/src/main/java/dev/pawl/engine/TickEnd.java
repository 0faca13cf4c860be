package dev.pawl.engine;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the store is told when a job's tick is done: the mark is reached and, if that is wanted, the
 * name goes over to a claim that nobody renews, in one step. Answers whether the tick is done.
 *
 * <p>A release says itself whether it found its claim; if it was repeated, an earlier copy may have
 * seen to it. The answer to a yield is about the new claim and says nothing of the old one. In both
 * cases the mark is looked at.
 */
final class TickEnd implements Function<LockStore, CompletionStage<Boolean>> {

  private final Command.Release release;
  private final Command.@Nullable Acquire keeper;
  private final AtomicInteger attempts = new AtomicInteger();

  TickEnd(Command.Release release, Command.@Nullable Acquire keeper) {
    this.release = release;
    this.keeper = keeper;
  }

  @Override
  public CompletionStage<Boolean> apply(LockStore store) {
    attempts.incrementAndGet();
    Command.Acquire kept = keeper;
    if (kept == null) {
      return store
          .release(release)
          .thenCompose(
              reply ->
                  reply == ReleaseReply.GONE && attempts.get() > 1
                      ? isReached(store)
                      : CompletableFuture.completedFuture(reply == ReleaseReply.RELEASED));
    }
    return store
        .yieldGrant(new Command.Yield(release, kept))
        .thenCompose(
            reply ->
                isReached(store)
                    .thenCompose(
                        reached ->
                            reached || !(reply instanceof AcquireReply.Granted)
                                ? CompletableFuture.completedFuture(reached)
                                : giveBack(store, kept)));
  }

  /**
   * The claim was gone, and the new one would keep out whoever does the tick. It is not to come
   * back either, with a copy of the yield that is still under way (I5).
   */
  private static CompletionStage<Boolean> giveBack(LockStore store, Command.Acquire kept) {
    return store
        .cancel(new Command.Cancel(kept.name(), kept.claim(), true))
        .thenApply(cancelled -> false);
  }

  private CompletionStage<Boolean> isReached(LockStore store) {
    return store.capabilities().contains(Capability.INSPECT)
        ? store
            .find(release.name())
            .thenApply(
                found ->
                    found.isPresent()
                        && found.get().mark().isPresent()
                        && found.get().mark().getAsLong() >= release.mark().orElseThrow())
        : CompletableFuture.completedFuture(true);
  }
}
