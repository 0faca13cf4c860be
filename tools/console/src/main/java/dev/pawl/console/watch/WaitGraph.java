package dev.pawl.console.watch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Who waits for whom, across all nodes.
 *
 * @param threads those that wait, or that are waited for
 * @param edges from who waits to who holds
 * @param more whether there are more edges than are kept
 */
public record WaitGraph(List<Vertex> threads, List<Edge> edges, boolean more) {

  /** More than can be drawn so that somebody reads it. */
  private static final int MOST_EDGES = 200;

  /** A thread of a node. */
  public record Vertex(String id, String label, String thread, boolean inCycle) {}

  /**
   * One waits for a name that another holds.
   *
   * @param inCycle whether it is part of a way back to itself
   */
  public record Edge(String from, String to, String name, boolean inCycle) {}

  /** Draws it from what the store shows. */
  public static WaitGraph of(Locks locks) {
    Map<String, Vertex> vertices = new LinkedHashMap<>();
    Set<Edge> edges = new LinkedHashSet<>();
    for (LockRow row : locks.rows()) {
      for (LockRow.Waiting waiter : row.waiters()) {
        String from = vertex(vertices, waiter.node(), waiter.label(), waiter.caller());
        row.holders().forEach(holder -> edges.add(edge(vertices, from, holder, row.name())));
      }
      for (LockRow.Held holder : row.holders()) {
        String wanted = holder.caller().waitsFor();
        if (!wanted.isEmpty()) {
          String from = vertex(vertices, holder.node(), holder.label(), holder.caller());
          locks
              .find(wanted)
              .ifPresent(
                  other ->
                      other.holders().forEach(h -> edges.add(edge(vertices, from, h, wanted))));
        }
      }
    }
    edges.removeIf(edge -> edge.from().equals(edge.to()));
    return marked(vertices, edges);
  }

  private static Edge edge(
      Map<String, Vertex> vertices, String from, LockRow.Held holder, String name) {
    return new Edge(
        from, vertex(vertices, holder.node(), holder.label(), holder.caller()), name, false);
  }

  private static String vertex(
      Map<String, Vertex> vertices, String node, String label, Caller caller) {
    String id = node + "#" + (caller.id().isEmpty() ? caller.thread() : caller.id());
    vertices.putIfAbsent(id, new Vertex(id, label, caller.thread(), false));
    return id;
  }

  /** Marks what is part of a cycle, and keeps that first. */
  private static WaitGraph marked(Map<String, Vertex> vertices, Set<Edge> edges) {
    Map<String, List<String>> next = new HashMap<>();
    edges.forEach(
        edge -> next.computeIfAbsent(edge.from(), id -> new ArrayList<>()).add(edge.to()));
    Map<String, Integer> groups = new Groups(next).of(vertices.keySet());
    List<Edge> red = new ArrayList<>();
    List<Edge> others = new ArrayList<>();
    for (Edge edge : edges) {
      boolean cycle = Objects.equals(groups.get(edge.from()), groups.get(edge.to()));
      (cycle ? red : others).add(new Edge(edge.from(), edge.to(), edge.name(), cycle));
    }
    List<Edge> kept = new ArrayList<>(red);
    kept.addAll(others);
    boolean more = kept.size() > MOST_EDGES;
    kept = kept.subList(0, Math.min(MOST_EDGES, kept.size()));
    Set<String> seen = new LinkedHashSet<>();
    Set<String> cyclic = new HashSet<>();
    for (Edge edge : kept) {
      seen.add(edge.from());
      seen.add(edge.to());
      if (edge.inCycle()) {
        cyclic.add(edge.from());
        cyclic.add(edge.to());
      }
    }
    List<Vertex> threads = new ArrayList<>();
    for (String id : seen) {
      Vertex vertex = Objects.requireNonNull(vertices.get(id));
      threads.add(new Vertex(id, vertex.label(), vertex.thread(), cyclic.contains(id)));
    }
    return new WaitGraph(List.copyOf(threads), List.copyOf(kept), more);
  }

  /**
   * Groups of vertices that reach each other (Kosaraju): first the order in which a walk along the
   * edges leaves them, then a walk against the edges in the reverse of that order.
   */
  private record Groups(Map<String, List<String>> next) {

    Map<String, Integer> of(Set<String> ids) {
      Deque<String> left = new ArrayDeque<>();
      Set<String> seen = new HashSet<>();
      ids.forEach(id -> walk(id, next, seen, left));
      Map<String, List<String>> back = new HashMap<>();
      next.forEach(
          (from, all) ->
              all.forEach(to -> back.computeIfAbsent(to, id -> new ArrayList<>()).add(from)));
      Map<String, Integer> groups = new HashMap<>();
      Set<String> grouped = new HashSet<>();
      int group = 0;
      for (String id : left) {
        Deque<String> members = new ArrayDeque<>();
        walk(id, back, grouped, members);
        for (String member : members) {
          groups.put(member, group);
        }
        group++;
      }
      return groups;
    }

    /** Goes as far as it gets, without recursion: a queue may be long. */
    private static void walk(
        String start, Map<String, List<String>> edges, Set<String> seen, Deque<String> left) {
      if (!seen.add(start)) {
        return;
      }
      Deque<String> path = new ArrayDeque<>(List.of(start));
      Map<String, Integer> at = new HashMap<>();
      while (!path.isEmpty()) {
        String id = path.peek();
        List<String> all = edges.getOrDefault(id, List.of());
        int i = at.merge(id, 1, Integer::sum) - 1;
        if (i == all.size()) {
          left.push(path.pop());
        } else if (seen.add(all.get(i))) {
          path.push(all.get(i));
        }
      }
    }
  }
}
