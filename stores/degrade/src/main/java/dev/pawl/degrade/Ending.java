package dev.pawl.degrade;

import dev.pawl.LockInfo;
import dev.pawl.OutcomeUnknownException;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Gives up claims. What is held in both stores is released in the primary first, so that whoever is
 * granted the name by the backup then finds it free in the primary. A release with a mark writes
 * the mark into the backup first.
 */
final class Ending {

  private final PairState state;

  Ending(PairState state) {
    this.state = state;
  }

  /** Where a claim is to be given up, and what its highest token is there. */
  private record Place(boolean inPrimary, long names, long usedRaw) {}

  // The lock is held.

  private void begin(PairClaim claim) {
    if (claim.state != State.LOST) {
      claim.state = State.ENDING;
      claim.endingNanos = state.now();
    }
  }

  long raw(PairClaim claim, boolean inPrimary, long usedToken) {
    return usedToken == 0 ? 0 : claim.part(inPrimary).raw + (usedToken - claim.token);
  }

  /** The store has answered; an ending that was not answered is repeated. */
  void onAnswered(PairClaim claim, @Nullable Throwable error) {
    if (error == null) {
      state.run(
          after -> {
            if (claim.state == State.ENDING) {
              state.claims.forget(claim);
            }
          });
    }
  }

  /** Returns where a claim is, the primary first; the one that counts last. */
  private List<Place> places(ClaimId id, long usedToken) {
    ModeRecord seen = state.record();
    List<Place> places = new ArrayList<>(2);
    if (seen == null) {
      return places;
    }
    PairClaim claim = state.claims.find(id);
    for (boolean inPrimary : new boolean[] {true, false}) {
      long names = PairState.names(seen, inPrimary);
      if (names == 0) {
        continue;
      }
      if (claim == null) {
        boolean counts = inPrimary == PairState.isPrimary(seen);
        if (counts) {
          long used = Math.max(0, usedToken - seen.tokens().offset());
          places.add(new Place(inPrimary, names, used));
        }
      } else if (claim.part(inPrimary).names == names) {
        places.add(new Place(inPrimary, names, raw(claim, inPrimary, usedToken)));
      }
    }
    if (places.size() == 2 && PairState.isPrimary(seen)) {
      places.add(places.remove(0));
    }
    return places;
  }

  /** The node gives a claim up; if late, a copy of its acquire must find nothing. */
  @Nullable PairClaim begin(ClaimId id, boolean late) {
    if (late) {
      state.claims.onEnded(id, state.now());
    }
    PairClaim claim = state.claims.find(id);
    if (claim != null) {
      begin(claim);
    }
    return claim;
  }

  // Releases.

  CompletionStage<ReleaseReply> release(Command.Release command) {
    return command.mark().isEmpty()
        ? releaseNow(command)
        : isOurs(command.claim())
            ? raiseMark(command).thenCompose(raised -> releaseRun(command, raised))
            : releaseOfStranger(command);
  }

  private CompletionStage<ReleaseReply> releaseRun(Command.Release command, Marks.Raised raised) {
    return releaseNow(command)
        .thenCompose(stillCounts(command.claim()))
        .thenCompose(
            reply ->
                reply == ReleaseReply.GONE && raised.epoch() == epoch()
                    ? state.marks.withdraw(command.name(), raised).thenApply(done -> reply)
                    : CompletableFuture.completedFuture(reply));
  }

  /**
   * Takes the mark of a run back that was lost: the store of the locks has no such mark, though it
   * was to end the run in the epoch that still is.
   */
  CompletionStage<Boolean> withdrawIfLost(Command.Release command, Marks.Raised raised) {
    if (!raised.isNew()) {
      return CompletableFuture.completedFuture(false);
    }
    return markInStore(command.name())
        .thenCompose(
            mark ->
                raised.epoch() != epoch()
                        || mark.orElse(Long.MIN_VALUE) >= command.mark().orElseThrow()
                    ? CompletableFuture.completedFuture(false)
                    : state.marks.withdraw(command.name(), raised))
        .exceptionally(error -> false); // Whoever wants to know asks as well.
  }

  private CompletionStage<OptionalLong> markInStore(String name) {
    record Where(Side side, String name) {}
    Where where =
        state.locked(
            after -> {
              ModeRecord seen = Objects.requireNonNull(state.record());
              boolean inPrimary = PairState.isPrimary(seen);
              long names = PairState.names(seen, inPrimary);
              return new Where(state.side(inPrimary), StoredNames.of(names, name));
            });
    return where
        .side()
        .call(store -> store.find(where.name()))
        .thenApply(found -> found.map(LockInfo::mark).orElse(OptionalLong.empty()));
  }

  private long epoch() {
    return state.locked(
        after -> {
          ModeRecord seen = state.record();
          return seen == null ? 0L : seen.epoch();
        });
  }

  /** Whether this pair knows that the claim holds its name, or did when its end began. */
  boolean isOurs(ClaimId id) {
    return state.locked(
        after -> {
          PairClaim claim = state.claims.find(id);
          return claim != null
              && (claim.state == State.HELD
                  || claim.state == State.LOST
                  || (claim.state == State.ENDING && claim.token != 0));
        });
  }

  /** Of a claim that is not known to hold anything only the store can tell whether it does. */
  private CompletionStage<ReleaseReply> releaseOfStranger(Command.Release command) {
    return releaseNow(command)
        .thenCompose(
            reply ->
                reply == ReleaseReply.RELEASED
                    ? raiseMark(command).thenApply(raised -> reply)
                    : CompletableFuture.completedFuture(reply));
  }

  CompletionStage<ReleaseReply> releaseNow(Command.Release command) {
    record Plan(List<Place> places, @Nullable PairClaim claim) {}
    Plan plan =
        state.locked(
            after -> {
              List<Place> places = places(command.claim(), command.usedToken());
              return new Plan(places, begin(command.claim(), command.late()));
            });
    CompletionStage<ReleaseReply> reply = CompletableFuture.completedFuture(ReleaseReply.GONE);
    int left = plan.places().size();
    for (Place place : plan.places()) {
      boolean last = --left == 0;
      reply =
          reply.thenCompose(
              before -> {
                CompletionStage<ReleaseReply> sent =
                    state
                        .side(place.inPrimary())
                        .release(Commands.release(command, place.names(), place.usedRaw()));
                return last ? sent : sent.exceptionally(error -> ReleaseReply.GONE);
              });
    }
    PairClaim claim = plan.claim();
    return claim == null ? reply : reply.whenComplete((answer, error) -> onAnswered(claim, error));
  }

  /** Writes a mark into the backup; a run that is not known there is in doubt. */
  CompletionStage<Marks.Raised> raiseMark(Command.Release command) {
    return state
        .marks
        .raise(command.name(), epoch(), command.mark().orElseThrow())
        .handle(
            (raised, error) -> {
              if (raised == null) {
                throw new OutcomeUnknownException(
                    "the tick of "
                        + command.name()
                        + " was run, and its mark could not be written to the backup of the pair;"
                        + " after a switch it may be run again",
                    error);
              }
              return raised;
            })
        .thenCompose(stillCounts(command.claim()));
  }

  /** Passes a value on if the node has counted on the claim until now. */
  <T> Function<T, CompletionStage<T>> stillCounts(ClaimId id) {
    return value ->
        state.locked(after -> state.isLeased(state.now()) && !isLost(id))
            ? CompletableFuture.completedFuture(value)
            : CompletableFuture.failedFuture(
                new OutcomeUnknownException(
                    "claim "
                        + id
                        + " was lost with the mode of the pair before its end was answered",
                    null));
  }

  private boolean isLost(ClaimId id) {
    PairClaim claim = state.claims.find(id);
    return claim != null && claim.state == State.LOST;
  }

  // Cancels.

  CompletionStage<CancelReply> cancel(Command.Cancel command) {
    record Plan(List<Place> places, @Nullable PairClaim claim) {}
    Plan plan =
        state.locked(
            after -> {
              List<Place> places = places(command.claim(), 0);
              return new Plan(places, begin(command.claim(), command.late()));
            });
    CompletionStage<CancelReply> reply = CompletableFuture.completedFuture(CancelReply.GONE);
    for (Place place : plan.places()) {
      reply =
          reply.thenCombine(
              state.side(place.inPrimary()).cancel(Commands.cancel(command, place.names())),
              (a, b) -> a == CancelReply.WAS_GRANTED || b == CancelReply.GONE ? a : b);
    }
    PairClaim claim = plan.claim();
    return claim == null ? reply : reply.whenComplete((answer, error) -> onAnswered(claim, error));
  }
}
