package dev.pawl.degrade;

import dev.pawl.degrade.PairClaim.Part;
import dev.pawl.degrade.PairClaim.State;
import dev.pawl.degrade.PairState.After;
import dev.pawl.degrade.protocol.Mode;
import dev.pawl.degrade.protocol.ModeRecord;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.LockStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Sends acquires to the store that has the locks. An answer that comes when the record has moved on
 * is dropped, and what it took under a name of an earlier epoch is given up.
 */
final class Acquiring {

  private final PairState state;
  private final Granting granting;
  private final Ending ending;

  Acquiring(PairState state, Granting granting, Ending ending) {
    this.state = state;
    this.granting = granting;
    this.ending = ending;
  }

  CompletionStage<AcquireReply> acquire(Command.Acquire command) {
    CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
    ask(command, reply, true);
    return reply;
  }

  private void ask(Command.Acquire command, CompletableFuture<AcquireReply> reply, boolean park) {
    state.run(
        after -> {
          if (state.claims.isEnded(command.claim())) {
            after.add(() -> reply.complete(new AcquireReply.Ended()));
            return;
          }
          RuntimeException refusal = state.refusal(state.now());
          ModeRecord seen = state.record();
          if (refusal != null || seen == null) {
            if (park) { // The mode may be about to change.
              state.park(() -> ask(command, reply, false));
            } else {
              after.add(
                  () ->
                      reply.completeExceptionally(refusal == null ? Granting.changed() : refusal));
            }
            return;
          }
          if (command.mark().isPresent()
              && !state.marks.isRead(command.name(), seen.epoch(), command.mark().getAsLong())) {
            after.add(() -> readMark(command, seen.epoch(), reply));
            return;
          }
          boolean toPrimary = PairState.isPrimary(seen);
          PairClaim claim = begin(command, seen, toPrimary, reply, after);
          long names = claim.part(toPrimary).names;
          after.add(
              () ->
                  send(
                      command,
                      toPrimary,
                      names,
                      reply,
                      store -> store.acquire(Commands.acquire(command, names, command.queue()))));
        });
  }

  private PairClaim begin(
      Command.Acquire command,
      ModeRecord seen,
      boolean toPrimary,
      CompletableFuture<AcquireReply> reply,
      After after) {
    PairClaim claim = state.claims.of(command);
    claim.askedNanos = state.now();
    if (claim.state == State.ASKING) {
      claim.pending.add(reply);
    }
    Part part = claim.part(toPrimary);
    long names = PairState.names(seen, toPrimary);
    if (part.names != names) {
      state.drop(claim, toPrimary, after);
      part.names = names;
    }
    Part other = claim.part(!toPrimary);
    if (other.names != 0 && other.names != PairState.names(seen, !toPrimary)) {
      state.drop(claim, !toPrimary, after);
    }
    return claim;
  }

  private void readMark(
      Command.Acquire command, long epoch, CompletableFuture<AcquireReply> reply) {
    long mark = command.mark().orElseThrow();
    var unused =
        state
            .marks
            .read(command.name(), epoch)
            .whenComplete(
                (reached, error) -> {
                  if (error != null) {
                    reply.completeExceptionally(error);
                  } else if (reached.isPresent() && reached.getAsLong() >= mark) {
                    state.run(after -> onDone(command.claim(), after));
                    reply.complete(new AcquireReply.Done(reached.getAsLong()));
                  } else {
                    ask(command, reply, false);
                  }
                });
  }

  /**
   * It may have been asked for before, by a copy of this acquire: its node does not want it now.
   */
  private void onDone(ClaimId id, After after) {
    PairClaim claim = state.claims.find(id);
    if (claim != null && (claim.state == State.ASKING || claim.state == State.WAITING)) {
      state.giveUp(claim, after);
    }
  }

  private void send(
      Command.Acquire command,
      boolean toPrimary,
      long names,
      CompletableFuture<AcquireReply> reply,
      Function<LockStore, CompletionStage<AcquireReply>> call) {
    long sent = state.now();
    var unused =
        state
            .side(toPrimary)
            .call(call)
            .whenComplete(
                (answer, error) -> {
                  if (error != null) {
                    reply.completeExceptionally(error);
                  } else {
                    onReply(command, toPrimary, names, sent, answer, reply);
                  }
                });
  }

  private void onReply(
      Command.Acquire command,
      boolean byPrimary,
      long names,
      long sent,
      AcquireReply answer,
      CompletableFuture<AcquireReply> reply) {
    state.run(
        after -> {
          clock(byPrimary, sent, answer);
          PairClaim claim = state.claims.find(command.claim());
          ModeRecord seen = state.record();
          if (claim != null && claim.state == State.LOST) {
            // What is lost is told by its signal, which the node confirms.
            after.add(() -> reply.completeExceptionally(Granting.changed()));
            return;
          }
          if (claim == null || claim.state == State.ENDING) {
            if (claim == null && state.claims.isEnded(command.claim())) {
              // Its ending may have found nothing to give up, in another mode.
              after.add(() -> state.cancel(byPrimary, names, command.name(), command.claim()));
            }
            after.add(() -> reply.complete(new AcquireReply.Ended()));
            return;
          }
          Part part = claim.part(byPrimary);
          if (seen == null || PairState.names(seen, byPrimary) != names || part.names != names) {
            after.add(() -> state.cancel(byPrimary, names, command.name(), command.claim()));
            after.add(() -> reply.completeExceptionally(Granting.changed()));
            return;
          }
          if (answer instanceof AcquireReply.Granted granted) {
            part.onGrant(granted.grant(), sent, state.now());
            granting.onGranted(claim, byPrimary, sent, GrantSink.byReply(reply), after);
            return;
          }
          if (answer instanceof AcquireReply.Queued) {
            claim.state = claim.state == State.ASKING ? State.WAITING : claim.state;
            claim.pending.clear();
          } else if (claim.state != State.HELD && !isOutdated(answer, command, claim)) {
            state.claims.forget(claim);
          }
          after.add(() -> reply.complete(Commands.refusal(answer, state.clock.micros(sent))));
        });
  }

  /** That it would have to wait was asked first, and that it waits since then. */
  private static boolean isOutdated(AcquireReply answer, Command.Acquire command, PairClaim claim) {
    return answer instanceof AcquireReply.Busy && !command.equals(claim.asked);
  }

  private void clock(boolean ofPrimary, long sent, AcquireReply answer) {
    Side side = state.side(ofPrimary);
    if (answer instanceof AcquireReply.Granted granted) {
      side.onClock(sent, granted.grant().nowMicros());
    } else if (answer instanceof AcquireReply.Queued queued) {
      side.onClock(sent, queued.contention().nowMicros());
    } else if (answer instanceof AcquireReply.Busy busy) {
      side.onClock(sent, busy.contention().nowMicros());
    }
  }

  // Yields.

  CompletionStage<AcquireReply> yieldGrant(Command.Yield command) {
    return command.release().mark().isEmpty() || !ending.isOurs(command.release().claim())
        ? yieldNow(command)
        : ending
            .raiseMark(command.release())
            .thenCompose(
                raised ->
                    yieldNow(command)
                        .thenCompose(ending.stillCounts(command.release().claim()))
                        .thenCompose(
                            reply ->
                                ending
                                    .withdrawIfLost(command.release(), raised)
                                    .thenApply(done -> reply)));
  }

  private CompletionStage<AcquireReply> yieldNow(Command.Yield command) {
    CompletableFuture<AcquireReply> reply = new CompletableFuture<>();
    Optional<CompletionStage<AcquireReply>> oneStep =
        state.locked(
            after -> {
              RuntimeException refusal = state.refusal(state.now());
              ModeRecord seen = state.record();
              PairClaim before = state.claims.find(command.release().claim());
              if (refusal != null || seen == null) {
                return Optional.of(
                    CompletableFuture.<AcquireReply>failedFuture(
                        refusal == null ? Granting.changed() : refusal));
              }
              boolean inPrimary = PairState.isPrimary(seen);
              if (before == null
                  || seen.mode() == Mode.RETURNING
                  || before.part(inPrimary).names != PairState.names(seen, inPrimary)) {
                return Optional.empty();
              }
              var unused = ending.begin(before.id, command.release().late());
              long usedRaw = ending.raw(before, inPrimary, command.release().usedToken());
              PairClaim next = begin(command.next(), seen, inPrimary, reply, after);
              next.kept = command.release().mark().isPresent();
              long names = next.part(inPrimary).names;
              Command.Yield stored =
                  new Command.Yield(
                      Commands.release(command.release(), names, usedRaw),
                      Commands.acquire(command.next(), names, command.next().queue()));
              after.add(
                  () ->
                      send(
                          command.next(),
                          inPrimary,
                          names,
                          reply,
                          store ->
                              store
                                  .yieldGrant(stored)
                                  .whenComplete(
                                      (done, error) -> ending.onAnswered(before, error))));
              return Optional.of(reply);
            });
    return oneStep.orElseGet(() -> inTwoSteps(command));
  }

  /** Where one step is not enough: the next claim is asked for when the first has been given up. */
  private CompletionStage<AcquireReply> inTwoSteps(Command.Yield command) {
    return ending
        .releaseNow(command.release())
        .thenCompose(
            released -> {
              if (command.release().mark().isEmpty()) {
                return acquire(command.next());
              }
              // The end of a tick: the name is not kept while the locks are on their way.
              return CompletableFuture.completedFuture(
                  new AcquireReply.Busy(
                      new Contention(
                          "", 0, 0, 0, 0, state.locked(after -> state.clock.micros(state.now())))));
            });
  }
}
