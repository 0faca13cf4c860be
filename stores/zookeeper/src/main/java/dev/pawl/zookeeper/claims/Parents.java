package dev.pawl.zookeeper.claims;

import dev.pawl.StoreUnavailableException;
import dev.pawl.zookeeper.session.Link;
import dev.pawl.zookeeper.session.Session;
import dev.pawl.zookeeper.tree.Paths;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of the names that this process uses: known while they are used, and deleted a while
 * after (I10). Somebody else may be in one, and then it stays; if its user dies, ZooKeeper deletes
 * it, since it is a container.
 */
final class Parents {

  /** How many are deleted in one go. */
  private static final int MOST = 2_000;

  /** How a name is used here, and whether somebody else was in its line when it was last seen. */
  private record Use(int users, long sinceNanos, boolean crowded) {}

  private final Link link;
  private final Paths paths;
  private final long retentionNanos;
  private final ConcurrentMap<String, Use> uses = new ConcurrentHashMap<>();

  /** Whether the last one that was not known here did not exist either. */
  private volatile boolean othersAreNew = true;

  Parents(Link link, Paths paths, long retentionNanos) {
    this.link = link;
    this.paths = paths;
    this.retentionNanos = retentionNanos;
  }

  /** One more claim uses a name; answers whether its node is known to be there. */
  boolean entered(String name) {
    long now = System.nanoTime();
    Use before = uses.get(name);
    uses.merge(
        name, new Use(1, now, false), (use, one) -> new Use(use.users + 1, now, use.crowded));
    return before != null;
  }

  /**
   * Tells whether a name that is not known here is likely to have no node yet. It is then created
   * together with the claim; if it exists after all, that was for nothing.
   */
  boolean isLikelyNew() {
    return othersAreNew;
  }

  /** Takes note of whether one that was not known here existed. */
  void wasNew(boolean isNew) {
    if (othersAreNew != isNew) {
      othersAreNew = isNew;
    }
  }

  /** A claim has left a name. */
  void left(String name) {
    long now = System.nanoTime();
    uses.computeIfPresent(
        name, (key, use) -> new Use(Math.max(0, use.users - 1), now, use.crowded));
  }

  /** Tells whether somebody else was in the line of a name when it was last seen. */
  boolean isCrowded(String name) {
    Use use = uses.get(name);
    return use != null && use.crowded;
  }

  /** Takes note of whether somebody else is in the line of a name. */
  void saw(String name, boolean crowded) {
    if (isCrowded(name) != crowded) {
      uses.computeIfPresent(name, (key, use) -> new Use(use.users, use.sinceNanos, crowded));
    }
  }

  /** Deletes those that have not been used for a while. */
  void sweep() {
    long now = System.nanoTime();
    int[] deleted = {0};
    uses.forEach(
        (name, use) -> {
          if (use.users == 0 && now - use.sinceNanos >= retentionNanos && deleted[0] < MOST) {
            Session session = session();
            if (session != null && uses.remove(name, use)) {
              deleted[0]++;
              var unused = session.deleteContainer(paths.lock(name)); // Not if somebody is in it.
            }
          }
        });
  }

  private @Nullable Session session() {
    try {
      return link.session();
    } catch (StoreUnavailableException e) {
      return null;
    }
  }
}
