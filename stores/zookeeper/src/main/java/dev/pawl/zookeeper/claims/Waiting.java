package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.machine.LockMachine;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.spi.Signal;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Place;
import dev.pawl.zookeeper.tree.Standing;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waiting for a name: one watch for each claim, on the node that it waits for. */
final class Waiting {

  private static final Logger LOG = LoggerFactory.getLogger(Waiting.class);

  private final Registry registry;
  private final Line line;
  private final Watches watches = new Watches();

  Waiting(Registry registry, Line line) {
    this.registry = registry;
    this.line = line;
  }

  /**
   * Has a claim wait: it is watched for, and shown who holds the name. Nothing if something has
   * changed meanwhile, and the line is to be looked at again.
   */
  private CompletableFuture<Optional<Contention>> join(OwnClaim claim, Line.Seen seen) {
    Place place = claim.place;
    if (place == null) {
      return completedFuture(Optional.empty());
    }
    return place.kind() == Place.Kind.UNFAIR ? stepAside(claim) : watch(claim, place, seen);
  }

  /** An unfair claim that cannot have it at once waits where it keeps nobody waiting. */
  private CompletableFuture<Optional<Contention>> stepAside(OwnClaim claim) {
    Session session = registry.link.session();
    Place before = claim.place;
    String parent = registry.paths.lock(claim.name);
    CompletableFuture<Boolean> left =
        before == null ? completedFuture(true) : session.delete(registry.path(claim.name, before));
    claim.doubtful = true;
    return session
        .create(
            parent + "/" + Place.prefix(claim.command, Place.Kind.ASIDE),
            claim.entry().encode(),
            CreateMode.EPHEMERAL_SEQUENTIAL)
        .thenCombine(left, (node, done) -> node)
        .thenApply(
            node -> {
              String segment = node.path().substring(node.path().lastIndexOf('/') + 1);
              claim.placed(session, Place.parse(segment).orElseThrow(), node);
              return Optional.empty();
            });
  }

  private CompletableFuture<Optional<Contention>> watch(
      OwnClaim claim, Place place, Line.Seen seen) {
    Session session = registry.link.session();
    Standing standing = seen.standing(claim.lowered);
    Place awaited = standing.awaited(place, claim.lowered);
    boolean watched = awaited == null ? claim.watchesAll : awaited.equals(claim.awaited);
    claim.seen = seen.places();
    claim.awaited = awaited;
    claim.watchesAll = awaited == null;
    boolean[] there = {true};
    CompletableFuture<Boolean> unchanged;
    if (watched) {
      unchanged = completedFuture(true); // The watch is still there.
    } else if (awaited == null) {
      String all = registry.paths.lock(claim.name);
      unchanged =
          session
              .children(all, watcher(claim, all))
              .thenApply(children -> Place.line(children).equals(seen.places()));
    } else {
      String one = registry.path(claim.name, awaited);
      unchanged =
          Absence.of(session.read(one, watcher(claim, one)))
              .thenApply(found -> there[0] = found.isPresent());
      if (!place.isExclusive()) {
        // It waits for a grant, which may have been made since.
        unchanged =
            unchanged.thenCombine(
                line.look(claim.name, false, session),
                (present, again) ->
                    present
                        && again.standing(claim.lowered).holders().size()
                            <= standing.holders().size());
      }
    }
    return unchanged
        .whenComplete(
            (same, error) -> {
              if (error != null || !same) {
                watchAgain(claim, error != null || !there[0]);
              }
            })
        .thenCombine(
            line.showHolders(claim, seen),
            (same, shown) -> same ? shown : Optional.<Contention>empty());
  }

  /**
   * Has the next look at the line set the watch again.
   *
   * @param doubtful whether it may not be there, since its node was gone or nobody knows
   */
  private static void watchAgain(OwnClaim claim, boolean doubtful) {
    claim.awaited = null;
    claim.watchesAll = false;
    Watches.Watch watching = claim.watching;
    if (doubtful && watching != null) {
      watching.forget();
    }
  }

  /**
   * Has a claim wait whose node has just shown that it is alive. What the line says by itself is no
   * sign of life, nor is it told to the node: one far back goes on showing life rarely.
   */
  CompletableFuture<Optional<Contention>> joinAlive(OwnClaim claim, Line.Seen seen) {
    Place place = claim.place;
    if (place != null) {
      int ahead = seen.standing(claim.lowered).ahead(place);
      registry.endAt(claim, Registry.now() + LockMachine.aliveMicros(ahead) * 1_000);
    }
    return join(claim, seen);
  }

  private Watcher watcher(OwnClaim claim, String path) {
    int watch = ++claim.watch;
    claim.stopWatching();
    Watches.Watch watching = watches.on(path, claim, event -> onWatch(claim, watch, event));
    claim.watching = watching;
    return watching;
  }

  private void onWatch(OwnClaim claim, int watch, WatchedEvent event) {
    var unused =
        claim
            .turn(() -> onEvent(claim, watch, event))
            .whenComplete(
                (done, error) -> {
                  if (error != null) { // It polls, and finds out.
                    LOG.debug("{} could not look at its place", claim.id, error);
                  }
                });
  }

  private CompletableFuture<Boolean> onEvent(OwnClaim claim, int watch, WatchedEvent event) {
    Place place = claim.place;
    if (claim.watch != watch || claim.ended || claim.held || place == null) {
      return completedFuture(false);
    }
    Place awaited = claim.awaited;
    claim.awaited = null;
    claim.watchesAll = false;
    if (event.getType() == EventType.NodeDeleted && awaited != null && place.mark().isEmpty()) {
      // Who was ahead when the line was seen has not become more since.
      List<Place> left = claim.seen.stream().filter(each -> !each.equals(awaited)).toList();
      Line.Seen now = new Line.Seen(left, Optional.empty());
      if (left.stream().noneMatch(each -> each.mark().isPresent())
          && now.standing(claim.lowered).holds(place)) {
        return granted(claim, now);
      }
    }
    return lookAgain(claim);
  }

  private CompletableFuture<Boolean> lookAgain(OwnClaim claim) {
    if (claim.doubtful) {
      return completedFuture(false); // It polls, and finds out.
    }
    Session session = registry.link.session();
    return line.look(claim.name, claim.command.mark().isPresent(), session)
        .thenCompose(seen -> judge(claim, seen));
  }

  private CompletableFuture<Boolean> judge(OwnClaim claim, Line.Seen seen) {
    Place place = claim.place;
    if (place == null || !seen.has(place)) {
      registry.forget(claim, true);
      registry.tell(
          claim.id, new Signal.Lost(claim.name, claim.id, "its place in the queue was removed"));
      return completedFuture(false);
    }
    if (place.isReached(Mark.reached(seen.mark()))) {
      long mark = seen.mark().orElseThrow().mark();
      return registry
          .remove(claim)
          .thenApply(
              done -> {
                registry.tell(claim.id, new Signal.Done(claim.name, claim.id, mark));
                return true;
              });
    }
    if (seen.standing(claim.lowered).holds(place)) {
      return granted(claim, seen);
    }
    if (place.kind() == Place.Kind.ASIDE) {
      return stepIn(claim, seen)
          .thenCompose(
              in -> in ? granted(claim, seen) : join(claim, seen).thenCompose(again(claim)));
    }
    return join(claim, seen).thenCompose(again(claim));
  }

  private Function<Optional<Contention>, CompletableFuture<Boolean>> again(OwnClaim claim) {
    return shown -> shown.isPresent() ? completedFuture(false) : lookAgain(claim);
  }

  /**
   * Has one that stands aside take a place at the end of the line, if it would hold the name there;
   * answers whether it does.
   */
  CompletableFuture<Boolean> stepIn(OwnClaim claim, Line.Seen seen) {
    Place aside = claim.place;
    if (aside == null
        || aside.kind() != Place.Kind.ASIDE
        || !seen.standing(claim.lowered).admits(aside, claim.lowered)) {
      return completedFuture(false);
    }
    Session session = registry.link.session();
    String parent = registry.paths.lock(claim.name);
    claim.doubtful = true; // Until one of its two nodes is gone.
    CompletableFuture<Node> created =
        session.create(
            parent + "/" + Place.prefix(claim.command, Place.Kind.UNFAIR),
            claim.entry().encode(),
            CreateMode.EPHEMERAL_SEQUENTIAL);
    CompletableFuture<Line.Seen> looked = line.look(claim.name, false, session);
    return created.thenCompose(
        node ->
            looked.thenCompose(
                now -> {
                  String segment = node.path().substring(node.path().lastIndexOf('/') + 1);
                  Place in = Place.parse(segment).orElseThrow();
                  boolean holds = now.standing(claim.lowered).holds(in);
                  if (holds) {
                    claim.placed(session, in, node);
                    claim.doubtful = true;
                  }
                  return session
                      .delete(holds ? registry.path(claim.name, aside) : node.path())
                      .thenApply(
                          done -> {
                            claim.doubtful = false;
                            return holds;
                          });
                }));
  }

  /**
   * A waiting claim was granted: its node is told, and has the claim window to confirm it. It is
   * counted on from when the leader last answered the session that made its node, which is made
   * sure of before if that was long ago (I2).
   */
  private CompletableFuture<Boolean> granted(OwnClaim claim, Line.Seen seen) {
    Session session = registry.link.session();
    if (claim.session != session) {
      return completedFuture(false); // Its node goes with another, and that is told by itself.
    }
    long trust = session.trustNanos(Registry.now());
    if (trust < session.longestTrustNanos() / 2) {
      return session
          .sync(registry.paths.lock(claim.name))
          .thenApply(done -> tell(claim, seen, session));
    }
    return completedFuture(tell(claim, seen, session));
  }

  private boolean tell(OwnClaim claim, Line.Seen seen, Session session) {
    Place place = claim.place;
    if (place == null || session.isEnded()) {
      return false;
    }
    claim.held = true;
    claim.shown = false;
    claim.sinceMicros = registry.link.clock().micros();
    long lasts = Math.min(claim.command.leaseMicros(), LockMachine.CLAIM_WINDOW_MICROS);
    long now = Registry.now();
    registry.endAt(claim, now + lasts * 1_000);
    Grant grant =
        new Grant(
            claim.id,
            claim.token(),
            claim.span(),
            claim.sinceMicros + lasts,
            claim.sinceMicros,
            session.trustNanos(now) / 1_000);
    registry.tell(claim.id, new Signal.Granted(claim.name, grant));
    if (seen.standing(claim.lowered).isAwaitedBySome(place)) {
      announce(claim, session);
    }
    return true;
  }

  /** Those behind wait for this grant, and are woken by a change of its node. */
  void announce(OwnClaim claim, Session session) {
    Place place = claim.place;
    if (place != null) {
      claim.shown = true;
      var unused = session.set(registry.path(claim.name, place), claim.entry().encode(), -1);
    }
  }
}
