package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Entry;
import dev.pawl.zookeeper.tree.Paths;
import dev.pawl.zookeeper.tree.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** The nodes of this process's claims: found by the claim they carry, and deleted with it. */
final class ClaimNodes {

  private final Link link;
  private final Paths paths;
  private final boolean simple;

  ClaimNodes(Link link, Paths paths, boolean simple) {
    this.link = link;
    this.paths = paths;
    this.simple = simple;
  }

  /** Finds out whether a node was made that was asked for, by the claim that it carries. */
  CompletableFuture<Boolean> find(OwnClaim claim, Session session) {
    if (claim.session != null && claim.session != session) {
      claim.doubtful = false; // It was of a session that has ended.
      claim.place = null;
      return completedFuture(false);
    }
    CompletableFuture<Boolean> synced = session.sync(paths.lock(claim.name));
    CompletableFuture<List<Place>> found =
        simple
            ? completedFuture(List.of(Place.simple(claim.id)))
            : Absence.of(session.children(paths.lock(claim.name), null))
                .thenApply(
                    children -> Place.allOf(claim.id, Place.line(children.orElse(List.of()))));
    return found
        .thenCompose(places -> adopt(claim, session, places))
        .thenCombine(
            synced,
            (adopted, done) -> {
              claim.doubtful = false;
              if (!adopted) {
                claim.place = null;
              }
              return adopted;
            });
  }

  /**
   * Takes the node that this very session has made for the claim. There may be another of the same
   * claim ahead: of a session that this process has given up, and the servers not yet. And of those
   * that are its own the last counts: one that stood aside and was stepping in left the other.
   */
  private CompletableFuture<Boolean> adopt(OwnClaim claim, Session session, List<Place> places) {
    return session
        .readAll(places.stream().map(place -> paths.place(claim.name, place)).toList())
        .thenCompose(
            nodes -> {
              List<CompletableFuture<Boolean>> left = new ArrayList<>();
              boolean found = false;
              for (int i = nodes.size() - 1; i >= 0; i--) {
                Node node = nodes.get(i);
                if (node == null || !isOwn(claim, session, node)) {
                  continue;
                }
                if (found) {
                  left.add(session.delete(node.path()));
                } else {
                  found = true;
                  claim.placed(session, places.get(i), node);
                }
              }
              boolean adopted = found;
              return CompletableFuture.allOf(left.toArray(CompletableFuture[]::new))
                  .thenApply(done -> adopted);
            });
  }

  private static boolean isOwn(OwnClaim claim, Session session, Node node) {
    return node.isOf(session) && Entry.decode(node.data()).claim().equals(claim.id);
  }

  /** Deletes the node of a claim; answers whether it was there. */
  CompletableFuture<Boolean> delete(OwnClaim claim, Place place) {
    Session session = link.sessionToLeave();
    String path = paths.place(claim.name, place);
    if (place.kind() != Place.Kind.SIMPLE) {
      return session.delete(path);
    }
    if (session != claim.session) {
      return completedFuture(false); // It went with its session; what is there is another's.
    }
    if (!claim.leaving) {
      claim.leaving = true;
      return session.delete(path);
    }
    // A deletion was sent before, and not answered. The path is everybody's: what is there now may
    // be another's, unless it is still the claim's own when that deletion has arrived or never
    // will.
    CompletableFuture<Boolean> synced = session.sync(path);
    return Absence.of(session.read(path, null))
        .thenCombine(synced, (node, done) -> node)
        .thenCompose(
            node ->
                node.isPresent() && isOwn(claim, session, node.get())
                    ? session.delete(path)
                    : completedFuture(false));
  }
}
