package dev.pawl.engine;

import dev.pawl.LockInfo;
import dev.pawl.spi.ClaimId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A walk through who waits for whom, by looking up one name after the other in the store. */
final class WaitForGraph {

  /** How many names one walk looks up at the most. */
  private static final int MOST_NAMES = 100;

  /** What looks up a name in the store. */
  private final Function<String, CompletionStage<Optional<LockInfo>>> find;

  /** The threads behind this node's own claims: what we know is newer than what the store knows. */
  private final Map<String, String> localActors;

  private final Set<String> looked = new HashSet<>();

  WaitForGraph(
      Function<String, CompletionStage<Optional<LockInfo>>> find, Map<String, String> localActors) {
    this.find = find;
    this.localActors = localActors;
  }

  /**
   * One thread's part in a cycle.
   *
   * @param holds the name it holds
   * @param claim the claim by which it holds that name
   * @param waitsFor the name it waits for
   */
  record Edge(String holds, String claim, String label, String node, Actor actor, String waitsFor) {

    String key() {
      return node + "#" + actor.id();
    }
  }

  /** Threads that wait for each other; the first is the one that looked. */
  record Cycle(List<Edge> edges) {

    /** Whether the thread that looked began to wait last, which every thread of the cycle sees. */
    boolean isYoungest() {
      return edges.stream()
          .max(
              Comparator.<Edge>comparingLong(edge -> edge.actor().sinceMicros())
                  .thenComparing(Edge::key))
          .map(edge -> edge.equals(edges.get(0)))
          .orElse(false);
    }

    @Override
    public String toString() {
      return edges.stream()
          .map(
              edge ->
                  "thread "
                      + edge.actor().thread()
                      + " of "
                      + edge.label()
                      + " holds "
                      + Names.quote(edge.holds())
                      + " and waits for "
                      + Names.quote(edge.waitsFor()))
          .collect(Collectors.joining("; "));
    }
  }

  /** Looks for a way from a name back to the thread that waits for it; null if there is none. */
  CompletionStage<@Nullable Cycle> cycleFrom(String name, String node, Actor self) {
    return walk(name, List.of(), node + "#" + self.id());
  }

  private CompletionStage<@Nullable Cycle> walk(String name, List<Edge> path, String self) {
    if (!looked.add(name) || looked.size() > MOST_NAMES) {
      return CompletableFuture.completedFuture(null);
    }
    return find.apply(name).thenCompose(found -> step(found, path, self));
  }

  private CompletionStage<@Nullable Cycle> step(
      Optional<LockInfo> found, List<Edge> path, String self) {
    List<Edge> next = found.map(this::edges).orElse(List.of());
    String waiting = path.isEmpty() ? self : path.get(path.size() - 1).key();
    if (found.isPresent()
        && next.size() < found.get().holders().size()
        && !waitsForAll(found.get(), waiting)) {
      return CompletableFuture.completedFuture(null); // One of them will let go of its permits.
    }
    for (Edge edge : next) {
      if (edge.key().equals(self)) {
        List<Edge> edges = new ArrayList<>(List.of(edge));
        edges.addAll(path);
        return CompletableFuture.completedFuture(new Cycle(List.copyOf(edges)));
      }
    }
    CompletionStage<@Nullable Cycle> result = CompletableFuture.completedFuture(null);
    for (Edge edge : next) {
      List<Edge> longer = new ArrayList<>(path);
      longer.add(edge);
      result =
          result.thenCompose(
              cycle ->
                  cycle != null
                      ? CompletableFuture.completedFuture(cycle)
                      : walk(edge.waitsFor(), longer, self));
    }
    return result;
  }

  /**
   * Tells whether a thread needs every holder to let go. One that wants some of the permits does
   * not, unless it stands behind somebody who wants them all.
   */
  private static boolean waitsForAll(LockInfo info, String thread) {
    for (LockInfo.Waiter waiter : info.waiters()) {
      if (waiter.exclusive()) {
        return true;
      }
      Actor actor = Actor.parse(waiter.actor());
      if (actor != null && key(waiter.claim(), actor).equals(thread)) {
        return false;
      }
    }
    return true; // It stands in the line of its node, whose claim is exclusive.
  }

  private static String key(String claim, Actor actor) {
    return ClaimId.parse(claim).node() + "#" + actor.id();
  }

  /** Returns the holders that wait for something themselves. */
  private List<Edge> edges(LockInfo info) {
    List<Edge> edges = new ArrayList<>();
    for (LockInfo.Holder holder : info.holders()) {
      Edge edge = edge(info.name(), holder);
      if (edge != null) {
        edges.add(edge);
      }
    }
    return edges;
  }

  private @Nullable Edge edge(String name, LockInfo.Holder holder) {
    Actor actor = Actor.parse(localActors.getOrDefault(holder.claim(), holder.actor()));
    return actor == null || actor.waitsFor() == null
        ? null
        : new Edge(
            name,
            holder.claim(),
            holder.label(),
            ClaimId.parse(holder.claim()).node(),
            actor,
            actor.waitsFor());
  }
}
