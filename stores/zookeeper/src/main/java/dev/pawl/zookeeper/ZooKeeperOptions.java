package dev.pawl.zookeeper;

import dev.pawl.text.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * How a store in ZooKeeper is used.
 *
 * @param strategy what a lock is in ZooKeeper; {@link ZooKeeperStrategy#FAIR} by default
 * @param root below which node everything is kept; {@code /pawl} by default
 * @param sessionTimeout how long after the death of this process its locks are free: asked for, and
 *     the servers may make it longer or shorter; ten seconds by default
 * @param retention how long the node of a name stays when nobody uses it
 * @param creatorOnly whether nodes are for the user alone who makes them, by whom the client is
 *     logged in; otherwise everybody may use them. A URL with a user has it
 */
public record ZooKeeperOptions(
    ZooKeeperStrategy strategy,
    String root,
    Duration sessionTimeout,
    Duration retention,
    boolean creatorOnly) {

  private static final Duration MIN_SESSION = Duration.ofMillis(500);
  private static final Duration MAX_SESSION = Duration.ofHours(1);

  /** Fair, {@code /pawl}, ten seconds, two seconds, for everybody. */
  public static final ZooKeeperOptions DEFAULT =
      new ZooKeeperOptions(
          ZooKeeperStrategy.FAIR, "/pawl", Duration.ofSeconds(10), Duration.ofSeconds(2), false);

  /** Checks the values. */
  public ZooKeeperOptions {
    Objects.requireNonNull(strategy, "strategy");
    if (!root.matches("(/[A-Za-z0-9_.-]+)+") || root.matches(".*/\\.{1,2}(/.*)?")) {
      throw new IllegalArgumentException(
          "root is \"" + root + "\"; write it like /pawl or /apps/pawl, of letters, digits, . _ -");
    }
    if (root.equals("/zookeeper") || root.startsWith("/zookeeper/")) {
      throw new IllegalArgumentException("root is " + root + ", which is ZooKeeper's own");
    }
    DurationText.check("sessionTimeout", sessionTimeout, MIN_SESSION, MAX_SESSION);
    if (retention.isNegative()) {
      throw new IllegalArgumentException(
          "retention is " + DurationText.format(retention) + "; allowed is 0 and more");
    }
  }

  /** Returns these options with another strategy. */
  public ZooKeeperOptions withStrategy(ZooKeeperStrategy newStrategy) {
    return new ZooKeeperOptions(newStrategy, root, sessionTimeout, retention, creatorOnly);
  }

  /** Returns these options with another root. */
  public ZooKeeperOptions withRoot(String newRoot) {
    return new ZooKeeperOptions(strategy, newRoot, sessionTimeout, retention, creatorOnly);
  }

  /** Returns these options with another session timeout. */
  public ZooKeeperOptions withSessionTimeout(Duration newTimeout) {
    return new ZooKeeperOptions(strategy, root, newTimeout, retention, creatorOnly);
  }

  /** Returns these options with another retention. */
  public ZooKeeperOptions withRetention(Duration newRetention) {
    return new ZooKeeperOptions(strategy, root, sessionTimeout, newRetention, creatorOnly);
  }

  /** Returns these options with nodes for the client's user alone, or for everybody. */
  public ZooKeeperOptions withCreatorOnly(boolean newCreatorOnly) {
    return new ZooKeeperOptions(strategy, root, sessionTimeout, retention, newCreatorOnly);
  }
}
