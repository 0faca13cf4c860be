package dev.pawl.engine.jobs;

import dev.pawl.LockInfo;
import dev.pawl.engine.claims.Request;
import dev.pawl.engine.locks.Engine;
import dev.pawl.engine.locks.HeldLease;
import dev.pawl.engine.locks.TickEnding;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Capability;
import dev.pawl.spi.Command;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.ReleaseReply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What the store is told when a job's tick is done: the mark is reached and, if that is wanted, the
 * name goes over to a claim that nobody renews, in one step.
 *
 * <p>A release says itself whether it found its claim; if it was repeated, an earlier copy may have
 * seen to it. The answer to a yield is about the new claim and says nothing of the old one. A mark
 * that is reached does not tell by whom: a standby may have run the tick meanwhile. It was this run
 * if nobody has been granted the name since, or if the store answered before the lease could end,
 * by its own clock.
 */
final class TickEnd implements Function<LockStore, CompletionStage<TickEnd.Result>> {

  /** What became of the tick. */
  enum Result {
    /** It is done, by this run. */
    DONE,
    /** The run was lost before; the tick is left to another, or done by one. */
    LOST,
    /** It is done, by this run or by another that has had the job since. */
    IN_DOUBT
  }

  private final Command.Release release;
  private final Command.@Nullable Acquire keeper;
  private final long heldUntilMicros;
  private final AtomicInteger attempts = new AtomicInteger();

  /**
   * Ends a run.
   *
   * @param heldUntilMicros until when the claim is held at least, by the store's clock; zero if
   *     nobody knows
   */
  TickEnd(Command.Release release, Command.@Nullable Acquire keeper, long heldUntilMicros) {
    this.release = release;
    this.keeper = keeper;
    this.heldUntilMicros = heldUntilMicros;
  }

  /** Returns what ends the tick of a lease, whose name is kept for that long, for nobody. */
  static TickEnding<Result> of(Engine engine, HeldLease lease, long keepNameMicros) {
    Request request = lease.request();
    Command.Acquire keeper =
        keepNameMicros <= 0
            ? null
            : new Command.Acquire(
                request.name(),
                engine.nextClaimId(),
                request.permits(),
                request.capacity(),
                keepNameMicros,
                1,
                OptionalLong.empty(),
                false,
                request.options().fair(),
                engine.label(),
                "");
    return (release, heldUntilMicros) -> new TickEnd(release, keeper, heldUntilMicros);
  }

  @Override
  public CompletionStage<Result> apply(LockStore store) {
    attempts.incrementAndGet();
    Command.Acquire kept = keeper;
    return kept == null ? release(store) : yieldTo(store, kept);
  }

  private CompletionStage<Result> release(LockStore store) {
    return store
        .release(release)
        .thenCompose(
            reply ->
                reply == ReleaseReply.RELEASED || attempts.get() == 1
                    ? now(reply == ReleaseReply.RELEASED ? Result.DONE : Result.LOST)
                    : look(store, info -> info.token() <= release.usedToken()));
  }

  private CompletionStage<Result> yieldTo(LockStore store, Command.Acquire kept) {
    return store
        .yieldGrant(new Command.Yield(release, kept))
        .thenCompose(
            reply ->
                look(
                        store,
                        info ->
                            answeredMicros(reply) < heldUntilMicros || wasGrantedInTime(info, kept))
                    .thenCompose(
                        result ->
                            result == Result.LOST && reply instanceof AcquireReply.Granted
                                ? giveBack(store, kept)
                                : now(result)));
  }

  /** Before the lease has ended, nobody but this run's own end can have ended the claim. */
  private static long answeredMicros(AcquireReply reply) {
    return reply instanceof AcquireReply.Granted granted
        ? granted.grant().nowMicros()
        : reply instanceof AcquireReply.Busy busy ? busy.contention().nowMicros() : Long.MAX_VALUE;
  }

  /** The claim that keeps the name can only follow on one that held it. */
  private boolean wasGrantedInTime(LockInfo info, Command.Acquire kept) {
    Instant heldUntil = Instant.EPOCH.plus(heldUntilMicros, ChronoUnit.MICROS);
    return info.holders().stream()
        .anyMatch(
            holder ->
                holder.claim().equals(kept.claim().toString())
                    && holder.since().isBefore(heldUntil));
  }

  /**
   * The claim was gone, and the new one would keep out whoever does the tick. It is not to come
   * back either, with a copy of the yield that is still under way (I5).
   */
  private static CompletionStage<Result> giveBack(LockStore store, Command.Acquire kept) {
    return store
        .cancel(new Command.Cancel(kept.name(), kept.claim(), true))
        .thenApply(cancelled -> Result.LOST);
  }

  private CompletionStage<Result> look(LockStore store, Function<LockInfo, Boolean> isByThisRun) {
    return store.capabilities().contains(Capability.INSPECT)
        ? store.find(release.name()).thenApply(found -> result(found, isByThisRun))
        : now(Result.IN_DOUBT);
  }

  private Result result(Optional<LockInfo> found, Function<LockInfo, Boolean> isByThisRun) {
    boolean isReached =
        found.isPresent()
            && found.get().mark().isPresent()
            && found.get().mark().getAsLong() >= release.mark().orElseThrow();
    return !isReached
        ? Result.LOST
        : isByThisRun.apply(found.get()) ? Result.DONE : Result.IN_DOUBT;
  }

  private static CompletionStage<Result> now(Result result) {
    return CompletableFuture.completedFuture(result);
  }
}
