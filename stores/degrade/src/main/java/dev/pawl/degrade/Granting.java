package dev.pawl.degrade;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.Command;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * What becomes of a grant of one of the stores: in the mode in which that store has the locks, it
 * is the pair's; while they return, it has to be taken in the other store as well.
 */
final class Granting {

  private final PairState state;
  private final Returning returning;
  private final MovingOn movingOn;

  /** Makes it; {@code look} looks at the record once more. */
  Granting(PairState state, Supplier<CompletionStage<?>> look) {
    this.state = state;
    this.returning = new Returning(state, this, look);
    this.movingOn = new MovingOn(state, this);
  }

  /** Takes in the primary, too, what is held in the backup while the locks return. */
  void moveHeld() {
    returning.moveHeld();
  }

  /** A store has granted a claim its name; the part is noted already. The lock is held. */
  void onGranted(PairClaim claim, boolean byPrimary, long baseNanos, GrantSink sink, After after) {
    ModeRecord seen = state.record();
    if (seen == null || claim.state == State.LOST || claim.state == State.ENDING) {
      sink.failed(changed(), after);
      return;
    }
    switch (seen.mode()) {
      case PRIMARY -> {
        if (byPrimary) {
          believe(claim, baseNanos, sink, after);
        } else {
          movingOn.moveOn(claim, seen, sink, after);
        }
      }
      case BACKUP -> {
        if (byPrimary) {
          sink.failed(changed(), after);
        } else {
          believe(claim, baseNanos, sink, after);
        }
      }
      case RETURNING -> {
        if (claim.state == State.HELD) {
          believe(claim, baseNanos, sink, after);
        } else if (claim.backup.held) {
          returning.takeBoth(claim, seen, sink, after);
        } else {
          sink.failed(changed(), after);
        }
      }
      case LEAVING -> sink.failed(changed(), after);
    }
  }

  static RuntimeException changed() {
    return new StoreUnavailableException("the mode of the pair has changed; try again", null);
  }

  /** Counts on a grant from now on, if the node may. */
  void believe(PairClaim claim, long baseNanos, GrantSink sink, After after) {
    ModeRecord seen = state.record();
    long now = state.now();
    if (seen == null
        || !state.isLeased(now)
        || !state.warden.standing().believes(claim.footing(), now)) {
      sink.failed(
          new OutcomeUnknownException(
              "granted, but the mode lease of the pair has ended: the backup has not answered",
              null),
          after);
      return;
    }
    if (claim.state == State.HELD) { // A copy of what was answered before.
      sink.granted(state.belief.grant(claim, baseNanos), after);
      return;
    }
    Part part = claim.part(PairState.isPrimary(seen));
    long first = part.raw + seen.tokens().offset();
    long last = first + part.span - 1;
    if (first <= seen.tokens().floor()) {
      // It was taken in the primary before it was known where the primary's tokens are: a new
      // claim gets a higher one.
      state.giveUp(claim, after);
      sink.ended(after);
      return;
    }
    if (!seen.tokens().admits(first, last)) {
      state.belief.want(last);
      state.park(() -> state.run(later -> again(claim, baseNanos, sink, later)));
      after.add(state::nudge);
      return;
    }
    Command.Acquire asked = claim.asked;
    if (asked != null
        && asked.mark().isPresent()
        && !state.marks.isRead(claim.name, seen.epoch(), asked.mark().getAsLong())) {
      after.add(() -> readMark(claim, asked, seen.epoch(), baseNanos, sink));
      return;
    }
    claim.state = State.HELD;
    claim.pending.clear();
    claim.token = first;
    claim.span = part.span;
    sink.granted(state.belief.grant(claim, baseNanos), after);
  }

  /** The record has changed, or time has passed: once more, if it still stands. */
  private void again(PairClaim claim, long baseNanos, GrantSink sink, After after) {
    ModeRecord seen = state.record();
    boolean gone = !state.claims.has(claim) || claim.state == State.ENDING;
    if (gone || seen == null || !claim.footing().stands(seen)) {
      sink.failed(changed(), after);
    } else {
      onGranted(claim, claim.primary.held, baseNanos, sink, after);
    }
  }

  /** The first grant for a mark in an epoch: an earlier epoch may have reached it. */
  private void readMark(
      PairClaim claim, Command.Acquire asked, long epoch, long baseNanos, GrantSink sink) {
    long mark = asked.mark().orElseThrow();
    var unused =
        state
            .marks
            .read(claim.name, epoch)
            .whenComplete(
                (reached, error) ->
                    state.run(
                        after -> {
                          if (error != null) {
                            sink.failed(error, after);
                          } else if (reached.isPresent() && reached.getAsLong() >= mark) {
                            state.giveUp(claim, after);
                            sink.done(reached.getAsLong(), after);
                          } else {
                            again(claim, baseNanos, sink, after);
                          }
                        }));
  }
}
