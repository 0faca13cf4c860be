package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.CancelReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.spi.ReleaseReply;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.OpResult;

/** Giving a claim up: its node is deleted, together with the mark it reached if it has one. */
final class Leaving {

  /** How often a mark may vanish while it is raised. */
  private static final int ATTEMPTS = 5;

  private final Registry registry;
  private final Line line;
  private final Acquiring acquiring;

  Leaving(Registry registry, Line line, Acquiring acquiring) {
    this.registry = registry;
    this.line = line;
    this.acquiring = acquiring;
  }

  CompletableFuture<ReleaseReply> release(Command.Release command) {
    OwnClaim claim = registry.find(command.claim());
    if (claim == null) {
      rememberIf(command.late(), command.claim());
      registry.link.session(); // A store that cannot be reached does not know.
      return completedFuture(ReleaseReply.GONE);
    }
    return claim.turn(() -> release(claim, command));
  }

  private void rememberIf(boolean late, ClaimId claim) {
    if (late) {
      registry.endedClaims.add(claim);
    }
  }

  private CompletableFuture<ReleaseReply> release(OwnClaim claim, Command.Release command) {
    return holds(claim)
        .thenCompose(
            held ->
                held && command.mark().isPresent()
                    ? reach(claim, command, 1)
                    : registry.remove(claim).thenApply(deleted -> held && deleted))
        .thenApply(
            released -> {
              rememberIf(command.late(), claim.id);
              return released ? ReleaseReply.RELEASED : ReleaseReply.GONE;
            });
  }

  CompletableFuture<CancelReply> cancel(Command.Cancel command) {
    OwnClaim claim = registry.find(command.claim());
    if (claim == null) {
      rememberIf(command.late(), command.claim());
      registry.link.session();
      return completedFuture(CancelReply.GONE);
    }
    return claim.turn(
        () ->
            holds(claim)
                .thenCompose(
                    held ->
                        registry
                            .remove(claim)
                            .thenApply(
                                deleted -> {
                                  rememberIf(command.late(), claim.id);
                                  return !deleted
                                      ? CancelReply.GONE
                                      : held ? CancelReply.WAS_GRANTED : CancelReply.CANCELLED;
                                })));
  }

  /**
   * Gives a grant up and asks again. What is sent first arrives first, so that both are one round
   * trip where the claim is known to hold the name.
   */
  CompletableFuture<AcquireReply> yieldGrant(Command.Yield command) {
    OwnClaim claim = registry.find(command.release().claim());
    if (claim != null && claim.held && command.release().mark().isEmpty()) {
      CompletableFuture<ReleaseReply> released = release(command.release());
      return acquiring.acquire(command.next()).thenCombine(released, (reply, done) -> reply);
    }
    return release(command.release())
        .thenCompose(
            done ->
                done == ReleaseReply.GONE
                        && command.release().mark().isPresent()
                        && !isKnown(command.next().claim())
                    ? completedFuture(new AcquireReply.Ended()) // A late copy takes nothing (I5).
                    : acquiring.acquire(command.next()));
  }

  private boolean isKnown(ClaimId id) {
    OwnClaim claim = registry.find(id);
    return claim != null && !claim.ended && !registry.isExpired(claim);
  }

  /** Tells whether a claim holds the name; one that was waiting may have been granted it since. */
  private CompletableFuture<Boolean> holds(OwnClaim claim) {
    Place place = claim.place;
    if (claim.held && registry.isExpired(claim)) {
      return completedFuture(false);
    }
    if (claim.held || claim.ended || place == null || registry.isExpired(claim)) {
      return completedFuture(claim.held && !claim.ended);
    }
    Session session = registry.link.session();
    if (claim.doubtful) { // It was not sure of its place, and so has told nobody that it holds.
      return completedFuture(false);
    }
    CompletableFuture<Boolean> synced = session.sync(registry.paths.lock(claim.name));
    return line.look(claim, session)
        .thenCombine(synced, (seen, done) -> seen)
        .thenApply(seen -> seen.standing(claim.lowered).holds(place));
  }

  /** Ends a grant and raises the mark, both or neither. */
  private CompletableFuture<Boolean> reach(OwnClaim claim, Command.Release command, int attempt) {
    Session session = registry.link.session();
    String at = registry.paths.mark(claim.name);
    Place place = claim.place;
    if (place == null) {
      return completedFuture(false);
    }
    CompletableFuture<List<OpResult>> changed =
        Mark.read(session, at)
            .thenCompose(
                before -> {
                  List<Op> changes = new ArrayList<>();
                  changes.add(Op.delete(registry.path(claim.name, place), -1));
                  Mark.raising(session, at, before, command, registry.link.clock().micros())
                      .ifPresent(changes::add);
                  return session.multi(changes);
                });
    return Answers.then(
        changed,
        (done, error) -> {
          if (error == null) {
            registry.forget(claim, false);
            return completedFuture(true);
          }
          if (Errors.is(error, Code.BADVERSION) || Errors.is(error, Code.NODEEXISTS)) {
            return reach(claim, command, attempt); // Somebody else has raised it, or set it back.
          }
          return Errors.is(error, Code.NONODE)
              ? missing(claim, command, attempt, session, registry.path(claim.name, place), error)
              : Answers.failed(error);
        });
  }

  /** One of the two is not there: the claim's own node, or the mark, which was just deleted. */
  private CompletableFuture<Boolean> missing(
      OwnClaim claim,
      Command.Release command,
      int attempt,
      Session session,
      String path,
      Throwable error) {
    return session
        .exists(path)
        .thenCompose(
            there -> {
              if (!there) {
                registry.forget(claim, false);
                return completedFuture(false);
              }
              return attempt < ATTEMPTS
                  ? reach(claim, command, attempt + 1)
                  : Answers.failed(error);
            });
  }

  /** Lowers a mark; those who waited for it and have not left yet are taken along. */
  CompletableFuture<Boolean> reset(Command.Reset command) {
    Session session = registry.link.session();
    String at = registry.paths.mark(command.name());
    CompletableFuture<Boolean> synced = session.sync(at);
    CompletableFuture<Boolean> changed =
        line.look(command.name(), true, session)
            .thenCombine(synced, (seen, done) -> seen)
            .thenCompose(
                seen -> {
                  Optional<Mark> before = seen.mark();
                  if (before.isEmpty() || before.get().mark() != command.mark()) {
                    return completedFuture(false);
                  }
                  List<Op> changes = new ArrayList<>();
                  changes.add(change(at, before.get(), command));
                  seen.places().stream()
                      .filter(place -> place.isReached(Mark.reached(before)))
                      .forEach(
                          place ->
                              changes.add(Op.delete(registry.path(command.name(), place), -1)));
                  return session.multi(changes).thenApply(done -> true);
                });
    return Answers.then(
        changed,
        (done, error) -> {
          if (error != null
              && (Errors.is(error, Code.BADVERSION) || Errors.is(error, Code.NONODE))) {
            return reset(command); // Somebody was faster.
          }
          return done != null ? completedFuture(done) : Answers.failed(error);
        });
  }

  private static Op change(String at, Mark before, Command.Reset command) {
    return command.to().isEmpty()
        ? Op.delete(at, before.version())
        : Op.setData(
            at,
            Mark.encode(command.to().getAsLong(), before.keepMicros(), before.token()),
            before.version());
  }
}
