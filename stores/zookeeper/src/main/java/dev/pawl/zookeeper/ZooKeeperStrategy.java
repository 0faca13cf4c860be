package dev.pawl.zookeeper;

import java.util.Locale;

/** How a lock is kept in ZooKeeper; see the guide for what each gives and costs. */
public enum ZooKeeperStrategy {
  /**
   * A line of ephemeral sequential nodes for each name, with everything: fair queue, read-write
   * locks, semaphores, marks. Freeing a name wakes the next in line and nobody else.
   */
  FAIR,
  /**
   * One ephemeral node for each name that is held: whoever creates it holds the name, everybody
   * else watches it, and all are woken when it goes.
   */
  SIMPLE;

  /** Reads the form used in URLs: {@code fair}, {@code simple}. */
  static ZooKeeperStrategy parse(String text) {
    for (ZooKeeperStrategy strategy : values()) {
      if (strategy.toString().equals(text)) {
        return strategy;
      }
    }
    throw new IllegalArgumentException("strategy is \"" + text + "\"; allowed is fair or simple");
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
