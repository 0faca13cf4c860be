package dev.pawl.console.api;

import dev.pawl.Job;
import dev.pawl.JournalEntry;
import dev.pawl.console.json.Json;
import dev.pawl.console.watch.History;
import dev.pawl.console.watch.LockRow;
import dev.pawl.console.watch.Locks;
import dev.pawl.console.watch.Nodes;
import dev.pawl.console.watch.StoreWatch;
import dev.pawl.console.watch.WaitGraph;
import dev.pawl.spi.Finding;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What the pages and the API show of what was read. */
final class Contents {

  private static final int MOST_AUDITED = 500;
  private static final int MOST_OF_A_NAME = 50;

  private final StoreWatch watch;

  Contents(StoreWatch watch) {
    this.watch = watch;
  }

  Map<String, @Nullable Object> jobs(History history) {
    return Json.object("jobs", history.jobs().stream().map(Rows::job).toList());
  }

  Map<String, @Nullable Object> nodes(Locks locks, History history) {
    return Json.object("nodes", Nodes.of(locks, history).stream().map(Rows::node).toList());
  }

  Map<String, @Nullable Object> graph(Locks locks) {
    return Rows.graph(WaitGraph.of(locks));
  }

  Map<String, @Nullable Object> audit(History history) {
    return Json.object(
        "entries",
        history.journal().stream()
            .filter(Contents::isAudited)
            .limit(MOST_AUDITED)
            .map(Rows::entry)
            .toList());
  }

  /** What a person has done; and that a pair has changed its mode, also by itself. */
  private static boolean isAudited(JournalEntry entry) {
    return entry.details().containsKey("by") || entry.kind() == JournalEntry.Kind.MODE_CHANGED;
  }

  Map<String, @Nullable Object> doctor(List<Finding> findings) {
    return Json.object(
        "store",
        watch.describe(),
        "absent",
        watch.isAbsent(),
        "mode",
        watch.mode(),
        "unsafe",
        count(findings, Finding.Level.UNSAFE),
        "warnings",
        count(findings, Finding.Level.WARNING),
        "findings",
        findings.stream().map(Rows::finding).toList());
  }

  /** Adds what the console itself costs the store. */
  Map<String, @Nullable Object> reads() {
    return Json.object(
        "locks",
        watch.locks().reads(),
        "history",
        watch.history().reads(),
        "doctor",
        watch.doctor().reads());
  }

  /** Returns the page of one name; the journal of it is read when something new is in it. */
  Map<String, @Nullable Object> lock(String name, Locks locks, History history) {
    LockRow row = locks.find(name).orElse(new LockRow(name, List.of(), List.of()));
    Map<String, @Nullable Object> page = Rows.lock(row);
    page.put("job", name.startsWith(Job.PREFIX));
    WaitGraph graph = WaitGraph.of(locks);
    List<WaitGraph.Edge> edges = edges(graph, row);
    Set<String> ids = new LinkedHashSet<>();
    edges.forEach(edge -> ids.addAll(List.of(edge.from(), edge.to())));
    page.put("graph", Rows.graph(part(graph, edges, ids)));
    page.put(
        "journal", watch.journal(name, MOST_OF_A_NAME, history).stream().map(Rows::entry).toList());
    return page;
  }

  /** Returns who waits for the name, and what those wait for who hold it. */
  private static List<WaitGraph.Edge> edges(WaitGraph graph, LockRow row) {
    Set<String> wanted = new LinkedHashSet<>(Set.of(row.name()));
    row.holders().forEach(holder -> wanted.add(holder.caller().waitsFor()));
    List<WaitGraph.Edge> edges = new ArrayList<>();
    for (WaitGraph.Edge edge : graph.edges()) {
      if (wanted.contains(edge.name())) {
        edges.add(edge);
      }
    }
    return edges;
  }

  private static WaitGraph part(WaitGraph graph, List<WaitGraph.Edge> edges, Set<String> ids) {
    return new WaitGraph(
        graph.threads().stream().filter(each -> ids.contains(each.id())).toList(),
        edges,
        graph.more());
  }

  private static long count(List<Finding> findings, Finding.Level level) {
    return findings.stream().filter(finding -> finding.level() == level).count();
  }
}
