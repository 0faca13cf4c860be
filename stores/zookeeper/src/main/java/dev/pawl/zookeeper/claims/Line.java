package dev.pawl.zookeeper.claims;

import dev.pawl.PawlException;
import dev.pawl.spi.Command;
import dev.pawl.spi.Contention;
import dev.pawl.spi.Grant;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Entry;
import dev.pawl.zookeeper.tree.Place;
import dev.pawl.zookeeper.tree.Standing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Looking at the line of a name, and saying what was seen. */
final class Line {

  /** How many holders are looked at for permits they gave up; there are seldom more. */
  private static final int MOST_SHOWN = 64;

  private final Registry registry;

  Line(Registry registry) {
    this.registry = registry;
  }

  /**
   * The line of a name, and its mark as far as somebody in it waits for one.
   *
   * @param places in their order
   * @param stranger a node in it that this version cannot read, if there is one
   */
  record Seen(List<Place> places, Optional<Mark> mark, Optional<String> stranger) {

    Seen(List<Place> places, Optional<Mark> mark) {
      this(places, mark, Optional.empty());
    }

    boolean has(Place place) {
      return places.contains(place);
    }

    /**
     * Judges the line.
     *
     * @throws PawlException if somebody is in it of whom nobody knows whether they hold the name:
     *     whoever does not see them would be a second holder (I1)
     */
    Standing standing(Map<String, Integer> lowered) {
      if (stranger.isPresent()) {
        throw unreadable();
      }
      return Standing.of(places, lowered, Mark.reached(mark));
    }

    PawlException unreadable() {
      return new PawlException(
          "this version of Pawl cannot read the node "
              + stranger.orElse("")
              + ", which may be a holder of the lock; use one version of Pawl, or delete the node if"
              + " it is none of Pawl's");
    }
  }

  /** Lists the line of a claim's name; with the mark if the claim has one, in the same trip. */
  CompletableFuture<Seen> look(OwnClaim claim, Session session) {
    return look(claim.name, claim.command.mark().isPresent(), session);
  }

  CompletableFuture<Seen> look(String name, boolean withMark, Session session) {
    CompletableFuture<Optional<List<String>>> listed =
        Absence.of(session.children(registry.paths.lock(name), null));
    CompletableFuture<Optional<Mark>> mark =
        withMark
            ? Mark.read(session, registry.paths.mark(name))
            : CompletableFuture.completedFuture(Optional.empty());
    return listed
        .thenCombine(mark, (children, found) -> seen(name, children.orElse(List.of()), found))
        .thenCompose(
            seen ->
                withMark || seen.places().stream().noneMatch(each -> each.mark().isPresent())
                    ? CompletableFuture.completedFuture(seen)
                    : withMark(name, seen, session));
  }

  private Seen seen(String name, List<String> children, Optional<Mark> mark) {
    List<Place> places = Place.line(children);
    Optional<String> stranger =
        places.size() == children.size()
            ? Optional.empty()
            : children.stream().filter(each -> Place.parse(each).isEmpty()).findFirst();
    return new Seen(places, mark, stranger.map(each -> registry.paths.lock(name) + "/" + each));
  }

  /** Somebody in the line waits for a mark: if that is reached, that one is not there any more. */
  private CompletableFuture<Seen> withMark(String name, Seen seen, Session session) {
    return Mark.read(session, registry.paths.mark(name))
        .thenApply(mark -> new Seen(seen.places(), mark, seen.stranger()));
  }

  /**
   * Grants a name to a claim.
   *
   * @param known whether its node was there before: then for its whole lease from now on, else from
   *     the moment it was made
   */
  Grant grant(OwnClaim claim, Command.Acquire command, boolean known) {
    long now = known ? registry.link.clock().micros() : claim.createdMicros;
    if (!claim.held && known) {
      claim.sinceMicros = now;
      claim.shown = false;
    }
    return extend(claim, command.leaseMicros(), now);
  }

  /** Gives a claim that holds the name its lease from now on, and says so. */
  Grant extend(OwnClaim claim, long leaseMicros, long nowMicros) {
    Session session = claim.session;
    long now = Registry.now();
    long until = now + leaseMicros * 1_000;
    // I2: a late copy of an earlier renewal must not shorten what the node counts on.
    if (!claim.held || claim.untilNanos - until < 0) {
      registry.endAt(claim, until);
    }
    claim.held = true;
    return new Grant(
        claim.id,
        claim.token(),
        claim.span(),
        nowMicros + (claim.untilNanos - now) / 1_000,
        nowMicros,
        session == null ? 0 : session.longestTrustNanos() / 1_000);
  }

  /**
   * Looks at the holders: who they are, and which of them have given permits up. Nothing if one of
   * them is gone, or if with what they gave up the claim holds the name itself.
   */
  CompletableFuture<Optional<Contention>> showHolders(OwnClaim claim, Seen seen) {
    Session session = registry.link.session();
    Standing standing = seen.standing(claim.lowered);
    Place place = claim.place;
    if (place == null || standing.holds(place) || place.isReached(Mark.reached(seen.mark()))) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    List<Place> holders = standing.holders();
    List<Place> shown = holders.subList(0, Math.min(MOST_SHOWN, holders.size()));
    List<String> paths = shown.stream().map(each -> registry.path(claim.name, each)).toList();
    return session
        .readAll(paths)
        .thenApply(
            nodes -> {
              boolean more = false;
              for (int i = 0; i < nodes.size(); i++) {
                Node node = nodes.get(i);
                if (node == null) {
                  return Optional.empty();
                }
                int permits = Entry.decode(node.data()).permits();
                if (permits < shown.get(i).permits()) {
                  Integer before = claim.lowered.put(shown.get(i).segment(), permits);
                  more |= before == null || before != permits;
                }
              }
              if (more && seen.standing(claim.lowered).holds(place)) {
                return Optional.empty();
              }
              return Optional.of(of(nodes.isEmpty() ? null : nodes.get(0), standing, place));
            });
  }

  private Contention of(@Nullable Node first, Standing standing, Place place) {
    long now = registry.link.clock().micros();
    int ahead = standing.ahead(place);
    if (first == null) {
      return new Contention("", now, now, 0, ahead, now);
    }
    Entry entry = Entry.decode(first.data());
    return new Contention(
        entry.label(),
        since(first, entry),
        until(first, entry, now),
        standing.holders().size(),
        ahead,
        now);
  }

  static long since(Node node, Entry entry) {
    return entry.sinceMicros() != 0 ? entry.sinceMicros() : node.stat().getCtime() * 1_000;
  }

  /**
   * When a lease ends unless it is renewed, as far as its node shows. A renewal writes nothing, so
   * that one which has expired by its node was renewed, a third of it ago at the most.
   */
  static long until(Node node, Entry entry, long nowMicros) {
    long end = node.stat().getMtime() * 1_000 + entry.leaseMicros();
    return end > nowMicros ? end : nowMicros + entry.leaseMicros() * 2 / 3;
  }
}
