package dev.pawl.zookeeper.claims;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Consumer;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.apache.zookeeper.Watcher.Event.KeeperState;

/**
 * The watches on nodes that claims wait for: one for each node, however many claims wait for it, or
 * have waited and given up. ZooKeeper's client keeps every watch that it is given until its node
 * changes, which is never while a lock is held for months (I10).
 */
final class Watches {

  private final ConcurrentMap<String, Watch> watches = new ConcurrentHashMap<>();

  /** Returns that of a node, which tells a claim once, if it has not left until then. */
  Watch on(String path, OwnClaim claim, Consumer<WatchedEvent> then) {
    Watch watch = watches.computeIfAbsent(path, Watch::new);
    watch.told.put(claim, then);
    return watch;
  }

  /** The watch on one node. */
  final class Watch implements Watcher {
    private final String path;
    private final ConcurrentMap<OwnClaim, Consumer<WatchedEvent>> told = new ConcurrentHashMap<>();

    private Watch(String path) {
      this.path = path;
    }

    /** Has a claim told no more. */
    void leave(OwnClaim claim) {
      told.remove(claim);
    }

    /** The client may not have it, and the next claim brings another. */
    void forget() {
      watches.remove(path, this);
    }

    @Override
    public void process(WatchedEvent event) {
      if (event.getType() == EventType.None) {
        if (event.getState() == KeeperState.Expired || event.getState() == KeeperState.Closed) {
          forget();
        }
      } else if (event.getType() != EventType.ChildWatchRemoved
          && event.getType() != EventType.DataWatchRemoved) {
        forget(); // It fires once.
        for (OwnClaim claim : told.keySet()) {
          Consumer<WatchedEvent> then = told.remove(claim);
          if (then != null) {
            then.accept(event);
          }
        }
      }
    }
  }
}
