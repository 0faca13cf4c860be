package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.Command;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Place;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Asking for a name in its line. The answer to the request that puts the claim's node there says
 * whether it is alone, and then it holds the name. Otherwise the list of the line decides; where
 * somebody was in it the last time, that leaves together with the request. Whoever is not granted
 * the name looks at the holders and watches the one it waits for.
 */
final class FairStrategy implements Acquiring.Strategy {

  /** How often a name's node may be gone by the time a claim is to be put below it. */
  private static final int ATTEMPTS = 5;

  private final Registry registry;
  private final Line line;
  private final Waiting waiting;
  private final SimpleHolder simple;
  private final Runnable makeRoot;

  FairStrategy(
      Registry registry, Line line, Waiting waiting, SimpleHolder simple, Runnable makeRoot) {
    this.registry = registry;
    this.line = line;
    this.waiting = waiting;
    this.simple = simple;
    this.makeRoot = makeRoot;
  }

  @Override
  public CompletableFuture<AcquireReply> known(OwnClaim claim, Command.Acquire command) {
    Session session = registry.link.session();
    CompletableFuture<Boolean> synced = session.sync(registry.paths.lock(claim.name));
    return line.look(claim, session)
        .thenCombine(synced, (seen, done) -> seen)
        .thenCompose(seen -> decide(claim, command, seen, true));
  }

  @Override
  public CompletableFuture<AcquireReply> place(OwnClaim claim, Command.Acquire command) {
    return place(claim, command, 1);
  }

  private CompletableFuture<AcquireReply> place(
      OwnClaim claim, Command.Acquire command, int attempt) {
    Session session = registry.link.session();
    String parent = registry.paths.lock(claim.name);
    boolean isThere = false;
    if (!claim.entered) {
      claim.entered = true;
      isThere = registry.parents.entered(claim.name);
    }
    boolean together = !isThere && attempt == 1 && registry.parents.isLikelyNew();
    CompletableFuture<Boolean> rootIsThere =
        isThere || together ? completedFuture(true) : create(parent, session);
    Place.Kind kind = command.fair() ? Place.Kind.FAIR : Place.Kind.UNFAIR;
    claim.session = session;
    claim.doubtful = true;
    String prefix = Place.prefix(command, kind);
    byte[] entry = claim.entry().encode();
    CompletableFuture<Session.Entered> entered =
        together ? session.enterNew(parent, prefix, entry) : session.enter(parent, prefix, entry);
    boolean listed = command.mark().isPresent() || registry.parents.isCrowded(claim.name);
    Optional<CompletableFuture<Line.Seen>> looked =
        listed ? Optional.of(line.look(claim, session)) : Optional.empty();
    return Answers.then(
        entered,
        (node, error) ->
            node != null
                ? placed(claim, command, session, node, looked)
                : notPlaced(claim, command, attempt, rootIsThere, error));
  }

  /** Creates the node of a name, if it is not there; tells whether there is a root to have it. */
  private CompletableFuture<Boolean> create(String parent, Session session) {
    return session
        .create(parent, new byte[0], CreateMode.CONTAINER)
        .whenComplete((node, error) -> registry.parents.wasNew(error == null))
        .handle((node, error) -> error == null || !Errors.is(error, Code.NONODE));
  }

  private CompletableFuture<AcquireReply> placed(
      OwnClaim claim,
      Command.Acquire command,
      Session session,
      Session.Entered node,
      Optional<CompletableFuture<Line.Seen>> looked) {
    String segment = node.path().substring(node.path().lastIndexOf('/') + 1);
    Place place = Place.parse(segment).orElseThrow();
    claim.placed(session, place, node.czxid(), node.ctime());
    registry.parents.saw(claim.name, node.siblings() > 1);
    // So that it does not stay if the rest fails.
    registry.endAt(claim, Registry.now() + command.leaseMicros() * 1_000);
    return looked
        .orElseGet(
            () ->
                node.siblings() == 1
                    ? completedFuture(new Line.Seen(List.of(place), Optional.empty()))
                    : line.look(claim, session))
        .thenCompose(seen -> decide(claim, command, seen, false));
  }

  private CompletableFuture<AcquireReply> notPlaced(
      OwnClaim claim,
      Command.Acquire command,
      int attempt,
      CompletableFuture<Boolean> rootIsThere,
      @Nullable Throwable error) {
    // In doubt it is looked for when somebody asks again, or gives it up.
    claim.doubtful = error == null || !Errors.isAnswered(error);
    if (error != null && Errors.is(error, Code.NODEEXISTS) && attempt < ATTEMPTS) {
      registry.parents.wasNew(false);
      return place(claim, command, attempt + 1);
    }
    if (error != null && Errors.is(error, Code.NONODE) && attempt < ATTEMPTS) {
      if (attempt > 1) {
        makeRoot.run();
      }
      return place(claim, command, attempt + 1);
    }
    // It was answered before: one that vanishes each time is somebody's by the simple strategy.
    boolean vanishes = error != null && Errors.is(error, Code.NONODE) && rootIsThere.getNow(false);
    if (vanishes || (error != null && Errors.is(error, Code.NOCHILDRENFOREPHEMERALS))) {
      return busy(claim, command, attempt);
    }
    if (!claim.doubtful) {
      registry.forget(claim, false);
    } else {
      registry.endAt(claim, Registry.now() + command.leaseMicros() * 1_000);
    }
    return Answers.failed(error);
  }

  /** Somebody has the name by the simple strategy, in which there is no line to stand in. */
  private CompletableFuture<AcquireReply> busy(
      OwnClaim claim, Command.Acquire command, int attempt) {
    return Answers.then(
        simple.look(claim.name, command.queue()),
        (holder, error) -> {
          if (holder != null && holder.isEmpty() && attempt < ATTEMPTS) {
            return place(claim, command, attempt + 1); // It has left since.
          }
          registry.forget(claim, false);
          return holder == null
              ? Answers.failed(error)
              : completedFuture(new AcquireReply.Busy(holder.orElseGet(simple::nobody)));
        });
  }

  /**
   * Says where the claim stands.
   *
   * @param known whether its node was there before, so that it keeps its place
   */
  private CompletableFuture<AcquireReply> decide(
      OwnClaim claim, Command.Acquire command, Line.Seen seen, boolean known) {
    Place place = claim.place;
    if (place == null || !seen.has(place)) {
      registry.forget(claim, true); // Somebody removed it by force.
      return completedFuture(new AcquireReply.Ended());
    }
    if (!claim.held && place.isReached(Mark.reached(seen.mark()))) {
      return registry
          .remove(claim)
          .thenApply(gone -> new AcquireReply.Done(seen.mark().orElseThrow().mark()));
    }
    if (seen.stranger().isPresent() && !claim.held) {
      // It does not stay, where it would keep others waiting.
      return registry.remove(claim).thenCompose(gone -> Answers.failed(seen.unreadable()));
    }
    // Who holds the name goes on holding it, whoever has come since.
    if (claim.held || seen.standing(claim.lowered).holds(place)) {
      return completedFuture(new AcquireReply.Granted(line.grant(claim, command, known)));
    }
    boolean waits = command.queue() || known;
    return (waits ? waiting.joinAlive(claim, seen) : line.showHolders(claim, seen))
        .thenCompose(
            shown -> {
              if (shown.isEmpty()) { // Something has changed since.
                Session session = registry.link.session();
                return line.look(claim, session)
                    .thenCompose(again -> decide(claim, command, again, known));
              }
              return waits
                  ? completedFuture(new AcquireReply.Queued(shown.get()))
                  : registry.remove(claim).thenApply(gone -> new AcquireReply.Busy(shown.get()));
            });
  }
}
