package dev.pawl.degrade;

import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Signal;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Takes away claims that the record, or the end of the mode lease, no longer upholds: their node is
 * told, and confirms when it has been. The lock of the pair is held.
 */
final class Losing {

  /** An ending that was not answered for so long is left to its lease. */
  private static final long FORGOTTEN_NANOS = 120_000_000_000L;

  private final PairState state;

  Losing(PairState state) {
    this.state = state;
  }

  /** Takes away what the record no longer upholds, and what is left over in the other store. */
  void onRecord(After after) {
    ModeRecord seen = state.record();
    if (seen == null) {
      return;
    }
    long now = state.now();
    state.belief.onRecord(seen);
    boolean leased = state.isLeased(now);
    for (PairClaim claim : state.claims.all()) {
      switch (claim.state) {
        case HELD -> onHeld(claim, seen, leased, after);
        case WAITING -> {
          if (!isAsked(claim, seen)) {
            state.claims.forget(claim);
            state.tell(claim, new Signal.Lost(claim.name, claim.id, changed(seen)), after);
          }
        }
        case ASKING -> {
          if (claim.kept && (!isAsked(claim, seen) || claim.isOverSinceAsked(now))) {
            state.giveUp(claim, after); // Nobody asks for it again.
          } else if (!isAsked(claim, seen)) {
            fail(claim, seen, after);
          }
        }
        case ENDING -> {
          if (!isAsked(claim, seen) || now - claim.endingNanos > FORGOTTEN_NANOS) {
            state.claims.forget(claim);
          }
        }
        case LOST -> {}
      }
    }
  }

  private void onHeld(PairClaim claim, ModeRecord seen, boolean leased, After after) {
    boolean stands = claim.footing().stands(seen);
    if (claim.kept && !stands) {
      state.giveUp(claim, after);
    } else if (!claim.kept && !(stands && leased)) {
      String reason = leased ? changed(seen) : "the mode lease of the pair has ended";
      lose(claim, reason, Signal.Lost.NOBODY_WAITS, after);
    } else if (claim.isOver(state.now())) {
      state.claims.forget(claim); // It has ended by itself, as one that is kept does.
    } else {
      tidy(claim, seen, after);
    }
  }

  private static boolean isAsked(PairClaim claim, ModeRecord seen) {
    return (claim.primary.names != 0 && claim.primary.names == PairState.names(seen, true))
        || (claim.backup.names != 0 && claim.backup.names == PairState.names(seen, false));
  }

  /** The store that has not the locks any more, or not again, has no part in it. */
  private void tidy(PairClaim claim, ModeRecord seen, After after) {
    if (PairState.isPrimary(seen) && claim.backup.names != 0) {
      state.drop(claim, false, after);
    } else if (seen.mode() == Mode.BACKUP && claim.primary.names != 0) {
      state.drop(claim, true, after);
    }
  }

  private void fail(PairClaim claim, ModeRecord seen, After after) {
    List<CompletableFuture<?>> pending = List.copyOf(claim.pending);
    claim.pending.clear();
    RuntimeException changed = new StoreUnavailableException(changed(seen) + "; try again", null);
    after.add(() -> pending.forEach(answer -> answer.completeExceptionally(changed)));
  }

  private static String changed(ModeRecord seen) {
    return "the mode of the pair has changed (" + seen.reason() + ")";
  }

  /**
   * Tells the node that it must not count on a claim any more, and waits until it has: that the
   * primary is left is not confirmed before.
   */
  void lose(PairClaim claim, String reason, Runnable told, After after) {
    claim.state = State.LOST;
    Runnable both =
        () -> {
          told.run();
          onTold(claim);
        };
    state.tell(claim, new Signal.Lost(claim.name, claim.id, reason, both), after);
  }

  private void onTold(PairClaim claim) {
    state.run(
        after -> {
          state.giveUp(claim, after);
          after.add(state::nudge);
        });
  }
}
