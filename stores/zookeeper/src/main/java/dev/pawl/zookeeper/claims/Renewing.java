package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.Command;
import dev.pawl.spi.RenewReply;
import dev.pawl.zookeeper.session.Answers;
import dev.pawl.zookeeper.session.Errors;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Place;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.data.Stat;
import org.jspecify.annotations.Nullable;

/**
 * Renewals: one {@code sync} for all of them shows that the session lives, and one request reads
 * the nodes of all holders, so that a renewal costs the servers nothing to write. A waiter looks at
 * its line.
 */
final class Renewing {

  private final Registry registry;
  private final Line line;
  private final Waiting waiting;

  Renewing(Registry registry, Line line, Waiting waiting) {
    this.registry = registry;
    this.line = line;
    this.waiting = waiting;
  }

  CompletableFuture<List<RenewReply>> renew(List<Command.Renew> commands) {
    Session session = registry.link.session();
    CompletableFuture<Boolean> synced = session.sync(registry.paths.locks());
    Map<Place, String> held = new HashMap<>();
    for (Command.Renew command : commands) {
      OwnClaim claim = registry.find(command.claim());
      // Of another turn, and looked at again in the claim's own.
      Place place = claim == null || !claim.held ? null : claim.place;
      if (place != null) {
        held.put(place, registry.path(command.name(), place));
      }
    }
    List<Place> places = new ArrayList<>(held.keySet());
    CompletableFuture<List<@Nullable Node>> read =
        session.readAll(places.stream().map(held::get).toList());
    List<CompletableFuture<RenewReply>> replies = new ArrayList<>(commands.size());
    for (Command.Renew command : commands) {
      OwnClaim claim = registry.find(command.claim());
      replies.add(
          claim == null
              ? completedFuture(new RenewReply.Gone())
              : claim.turn(
                  () ->
                      synced
                          .thenCombine(read, (done, nodes) -> found(places, nodes))
                          .thenCompose(found -> renew(claim, command, found))));
    }
    return CompletableFuture.allOf(replies.toArray(CompletableFuture[]::new))
        .thenCombine(synced, (all, done) -> replies.stream().map(CompletableFuture::join).toList());
  }

  /** Returns by which transaction each was made; zero if it is not there. */
  private static Map<Place, Long> found(List<Place> places, List<@Nullable Node> nodes) {
    Map<Place, Long> found = new HashMap<>();
    for (int i = 0; i < places.size(); i++) {
      Node node = nodes.get(i);
      found.put(places.get(i), node == null ? 0 : node.stat().getCzxid());
    }
    return found;
  }

  private CompletableFuture<RenewReply> renew(
      OwnClaim claim, Command.Renew command, Map<Place, Long> found) {
    Place place = claim.place;
    if (claim.ended || place == null) {
      return completedFuture(new RenewReply.Gone());
    }
    if (registry.isExpired(claim)) {
      return registry.remove(claim).thenApply(done -> new RenewReply.Gone());
    }
    boolean changed = !command.actor().equals(claim.actor);
    claim.actor = command.actor();
    if (!claim.held) {
      return claim.doubtful
          ? registry
              .nodes
              .find(claim, registry.link.session())
              .thenCompose(there -> poll(claim, command))
          : poll(claim, command);
    }
    if (found.getOrDefault(place, claim.czxid) != claim.czxid) {
      registry.forget(claim, true); // Somebody removed it by force.
      return completedFuture(new RenewReply.Gone());
    }
    return renewHolder(claim, command, changed);
  }

  private CompletableFuture<RenewReply> renewHolder(
      OwnClaim claim, Command.Renew command, boolean actorChanged) {
    boolean fewer = command.permits() < claim.permits;
    claim.permits = Math.min(claim.permits, command.permits());
    if (!actorChanged && !fewer && claim.shown) {
      return completedFuture(held(claim, command));
    }
    Place place = claim.place;
    claim.shown = true;
    CompletableFuture<Stat> written =
        registry
            .link
            .session()
            .set(place == null ? "" : registry.path(claim.name, place), claim.entry().encode(), -1);
    return Answers.then(
        written,
        (stat, error) -> {
          if (error == null) {
            return completedFuture(held(claim, command));
          }
          if (Errors.is(error, Code.NONODE)) {
            registry.forget(claim, true);
            return completedFuture(new RenewReply.Gone());
          }
          claim.shown = false;
          return Answers.failed(error);
        });
  }

  private RenewReply held(OwnClaim claim, Command.Renew command) {
    return new RenewReply.Held(
        line.extend(claim, command.leaseMicros(), registry.link.clock().micros()));
  }

  /** A waiter asks where it stands. */
  private CompletableFuture<RenewReply> poll(OwnClaim claim, Command.Renew command) {
    Session session = registry.link.session();
    return line.look(claim, session).thenCompose(seen -> standing(claim, command, seen));
  }

  private CompletableFuture<RenewReply> standing(
      OwnClaim claim, Command.Renew command, Line.Seen seen) {
    Place place = claim.place;
    if (place == null || !seen.has(place)) {
      registry.forget(claim, true);
      return completedFuture(new RenewReply.Gone());
    }
    if (place.isReached(Mark.reached(seen.mark()))) {
      return registry.remove(claim).thenApply(done -> new RenewReply.Gone());
    }
    if (seen.standing(claim.lowered).holds(place)) {
      return granted(claim, command);
    }
    return waiting
        .stepIn(claim, seen)
        .thenCompose(in -> in ? granted(claim, command) : stay(claim, command, seen));
  }

  private CompletableFuture<RenewReply> stay(
      OwnClaim claim, Command.Renew command, Line.Seen seen) {
    return waiting
        .joinAlive(claim, seen)
        .thenCompose(
            shown ->
                shown.isPresent()
                    ? completedFuture((RenewReply) new RenewReply.Waiting(shown.get()))
                    : poll(claim, command));
  }

  private CompletableFuture<RenewReply> granted(OwnClaim claim, Command.Renew command) {
    claim.shown = false; // It is written when it was granted, which also wakes those behind.
    claim.sinceMicros = registry.link.clock().micros();
    // As a holder it goes on for its whole lease, with the permits it asked for.
    RenewReply held =
        new RenewReply.Held(
            line.extend(claim, command.leaseMicros(), registry.link.clock().micros()));
    return renewHolder(claim, command, false).thenApply(done -> held);
  }
}
