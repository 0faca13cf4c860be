package dev.pawl.engine.deadlocks;

import dev.pawl.LockInfo;
import dev.pawl.engine.link.Names;
import dev.pawl.spi.ClaimId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Who waits for whom, as the store shows it at one look: each name is looked up once, however many
 * threads look for a way through it. One thread at a time uses it.
 */
final class WaitForGraph {

  /** How many names one walk goes through at the most. */
  private static final int MOST_NAMES = 100;

  /** What looks up a name in the store. */
  private final Function<String, CompletionStage<Optional<LockInfo>>> find;

  /**
   * The thread behind a claim of this node on a name: what we know is newer than what the store
   * knows. Null of a claim that it does not hold.
   */
  private final BiFunction<String, ClaimId, @Nullable String> localActor;

  private final Map<String, CompletionStage<Named>> names = new HashMap<>();

  WaitForGraph(
      Function<String, CompletionStage<Optional<LockInfo>>> find,
      BiFunction<String, ClaimId, @Nullable String> localActor) {
    this.find = find;
    this.localActor = localActor;
  }

  /**
   * What was found under a name.
   *
   * @param edges the holders that wait for something themselves
   */
  private record Named(Optional<LockInfo> info, List<Edge> edges) {}

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
    return new Walk(node, self).from(name, List.of());
  }

  private CompletionStage<Named> lookUp(String name) {
    CompletionStage<Named> known = names.get(name);
    if (known == null) {
      known =
          find.apply(name)
              .thenApply(found -> new Named(found, found.map(this::edges).orElse(List.of())));
      names.put(name, known);
    }
    return known;
  }

  /** One thread's way through the names. */
  private final class Walk {

    private final String node;
    private final Actor actor;
    private final String self;
    private final Set<String> seen = new HashSet<>();

    Walk(String node, Actor actor) {
      this.node = node;
      this.actor = actor;
      this.self = node + "#" + actor.id();
    }

    CompletionStage<@Nullable Cycle> from(String name, List<Edge> path) {
      if (!seen.add(name) || seen.size() > MOST_NAMES) {
        return CompletableFuture.completedFuture(null);
      }
      return lookUp(name).thenCompose(found -> step(found, path));
    }

    private CompletionStage<@Nullable Cycle> step(Named found, List<Edge> path) {
      List<Edge> next = found.edges();
      Edge last = path.isEmpty() ? null : path.get(path.size() - 1);
      if (next.isEmpty()
          || someLetGo(
              found, last == null ? node : last.node(), last == null ? actor : last.actor())) {
        return CompletableFuture.completedFuture(null);
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
                        : from(edge.waitsFor(), longer));
      }
      return result;
    }
  }

  /** Tells whether a holder that waits for nothing will let go of enough for the thread. */
  private static boolean someLetGo(Named found, String node, Actor waiting) {
    LockInfo info = found.info().orElseThrow();
    return found.edges().size() < info.holders().size() && !waitsForAll(info, node, waiting);
  }

  /**
   * Tells whether a thread needs every holder to let go. One that wants some of the permits does
   * not, unless its node stands behind somebody who wants them all.
   */
  private static boolean waitsForAll(LockInfo info, String node, Actor waiting) {
    if (!waiting.shares()) {
      return true;
    }
    for (LockInfo.Waiter waiter : info.waiters()) {
      if (waiter.exclusive()) {
        return true;
      }
      if (ClaimId.parse(waiter.claim()).node().equals(node)) {
        return false;
      }
    }
    return false;
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
    ClaimId claim = ClaimId.parse(holder.claim());
    String known = localActor.apply(name, claim);
    Actor actor = Actor.parse(known == null ? holder.actor() : known);
    return actor == null || actor.waitsFor() == null
        ? null
        : new Edge(name, holder.claim(), holder.label(), claim.node(), actor, actor.waitsFor());
  }
}
