package dev.pawl.zookeeper.claims;

import static java.util.concurrent.CompletableFuture.completedFuture;

import dev.pawl.spi.Contention;
import dev.pawl.zookeeper.session.Node;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Entry;
import dev.pawl.zookeeper.tree.Standing;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * Who has the node of a name, which in the simple strategy is who holds it; and the watch on that
 * node, one for each name and session. When it goes, everybody who watches is told: a herd.
 */
final class SimpleHolder {

  private final Registry registry;
  private final Line line;
  private final ConcurrentMap<String, Watcher> watchers = new ConcurrentHashMap<>();

  SimpleHolder(Registry registry, Line line) {
    this.registry = registry;
    this.line = line;
  }

  /** Returns who holds a name; nobody if its node is gone, or if it was the last of a line's. */
  CompletableFuture<Optional<Contention>> look(String name, boolean watch) {
    Session session = registry.link.session();
    Watcher watcher = watch ? watcher(name) : null;
    return Absence.of(session.read(registry.paths.lock(name), watcher))
        .whenComplete(
            (node, error) -> {
              if (watcher != null && (error != null || node.isEmpty())) {
                watchers.remove(name, watcher); // I10: it was not set, or nobody knows.
              }
            })
        .thenCompose(
            node ->
                node.isEmpty()
                    ? completedFuture(Optional.<Contention>empty())
                    : node.get().isEphemeral()
                        ? completedFuture(Optional.of(contention(node.get(), 1)))
                        : lineOf(name, session));
  }

  /** The name has a line, in the fair strategy: somebody stands in it, or its node can go. */
  private CompletableFuture<Optional<Contention>> lineOf(String name, Session session) {
    return line.look(name, true, session)
        .thenCompose(
            seen -> {
              Standing standing = seen.standing(Map.of());
              if (seen.places().isEmpty()) {
                return session
                    .deleteContainer(registry.paths.lock(name)) // Not if somebody has come since.
                    .thenApply(done -> Optional.<Contention>empty());
              }
              List<String> first =
                  standing.holders().stream()
                      .limit(1)
                      .map(holder -> registry.path(name, holder))
                      .toList();
              return session
                  .readAll(first)
                  .thenApply(
                      nodes -> {
                        Node holder = nodes.isEmpty() ? null : nodes.get(0);
                        return Optional.of(
                            holder == null
                                ? nobody()
                                : contention(holder, standing.holders().size()));
                      });
            });
  }

  private Contention contention(Node node, int holders) {
    long now = registry.link.clock().micros();
    Entry entry = Entry.decode(node.data());
    return new Contention(
        entry.label(), Line.since(node, entry), Line.until(node, entry, now), holders, 0, now);
  }

  /** Says that the name is contended, and that nobody knows by whom. */
  Contention nobody() {
    long now = registry.link.clock().micros();
    return new Contention("", now, now, 0, 0, now);
  }

  private Watcher watcher(String name) {
    return watchers.computeIfAbsent(name, key -> event -> onEvent(key, event));
  }

  /** Returns how many names are watched. */
  int watched() {
    return watchers.size();
  }

  private void onEvent(String name, WatchedEvent event) {
    if (event.getType() == EventType.NodeDataChanged) {
      var unused = look(name, true).exceptionally(error -> Optional.empty()); // They poll as well.
    } else if (event.getType() == EventType.NodeDeleted) {
      watchers.remove(name);
      registry.tellChanged(name);
    } else if (event.getState() == KeeperState.Expired || event.getState() == KeeperState.Closed) {
      watchers.remove(name);
    }
  }
}
