package dev.pawl.engine.locks;

import dev.pawl.LeaseLostException;
import dev.pawl.LockOptions;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.PawlException;
import dev.pawl.engine.link.Failures;
import dev.pawl.engine.link.Futures;
import dev.pawl.spi.RenewReply;
import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a holder asks the store about the time of its lease: whether it still stands, for more of
 * it, and for some after it. Each is a renewal whose answer the caller waits for.
 */
final class LeaseTime {

  private static final Logger LOG = LoggerFactory.getLogger(LeaseTime.class);

  private final Engine engine;
  private final HeldLease lease;

  LeaseTime(Engine engine, HeldLease lease) {
    this.engine = engine;
    this.lease = lease;
  }

  void confirm() {
    renew(0);
  }

  void extend(Duration atLeast) {
    DurationText.check("atLeast", atLeast, LockOptions.MIN_LEASE, LockOptions.MAX_LEASE);
    renew(atLeast.toNanos() / 1_000);
  }

  /** Ends the hold and keeps the name for a while; the store has it for as long. */
  void closeAfter(Duration keep) {
    if (Objects.requireNonNull(keep, "keep").compareTo(LockOptions.MAX_LEASE) > 0) {
      throw new IllegalArgumentException(
          "keep is "
              + DurationText.format(keep)
              + "; allowed is up to "
              + DurationText.format(LockOptions.MAX_LEASE));
    }
    if (keep.isZero() || keep.isNegative()) {
      lease.close();
      return;
    }
    long end = engine.now() + keep.toNanos();
    if (lease.isHeld() && lease.remaining().compareTo(keep) < 0) {
      try {
        renew(keep.toNanos() / 1_000);
      } catch (LeaseLostException e) {
        LOG.debug("{} was lost before it could be kept", lease, e); // Which is told below.
      } catch (PawlException e) { // The work is done, as with a release during an outage.
        LOG.warn("{} may not be kept for {}: {}", lease, DurationText.format(keep), e.getMessage());
      }
    }
    if (!lease.claim().queue().keep(lease, end) && lease.claim().queue().reportLoss(lease)) {
      throw lease.lost();
    }
  }

  /** Renews it, also in a thread that was interrupted, as in a {@code finally}. */
  private void renew(long micros) {
    boolean interrupted = Thread.interrupted(); // A driver may not bear it.
    try {
      renewNow(micros);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void renewNow(long micros) {
    lease.ensureHeld();
    LocalClaim claim = lease.claim();
    RenewalCall call = new RenewalCall(engine.now());
    call.add(claim, claim.queue().renewCommand(lease, micros));
    CompletableFuture<Boolean> answered = new CompletableFuture<>();
    engine
        .link()
        .whenDone(
            engine.link().call(true, store -> call.send(store, engine.now())),
            (replies, error) -> {
              call.onReplies(replies, error);
              if (error != null) {
                answered.completeExceptionally(error);
              } else if (isInDoubt(replies)) {
                answered.completeExceptionally(
                    new OutcomeUnknownException(
                        "nobody knows for certain whether "
                            + lease
                            + " still stands in "
                            + engine.store().describe(),
                        null));
              } else {
                answered.complete(true);
              }
            });
    boolean done = Futures.awaitDone(answered, engine.link().pace().responseNanos());
    lease.ensureHeld();
    if (!done || answered.isCompletedExceptionally()) {
      throw failure(done, answered);
    }
  }

  private static boolean isInDoubt(@Nullable List<RenewReply> replies) {
    return replies != null
        && replies.stream()
            .anyMatch(each -> each instanceof RenewReply.Held held && held.inDoubt());
  }

  private PawlException failure(boolean done, CompletableFuture<Boolean> answered) {
    PawlException failure =
        done
            ? Failures.unexpected("the renewal of " + lease, Futures.failureOf(answered))
            : new OutcomeUnknownException(
                "no answer to the renewal of " + lease + " from " + engine.store().describe(),
                null);
    if (Failures.isOfTheStore(failure)) {
      engine.events().storeFailed(lease.name(), "renew", failure);
    }
    return failure;
  }
}
