package dev.pawl.zookeeper;

import dev.pawl.spi.LockStore;
import dev.pawl.testkit.StoreConformance;
import dev.pawl.testservers.ZooKeeperServer;
import dev.pawl.zookeeper.tree.Tokens;
import java.time.Duration;

/** The conformance suite on one server; what is left is counted in its nodes. */
abstract class ZooKeeperConformance extends StoreConformance {

  /** Two fifths of it are more than any lease of the suite. */
  static final Duration LONG_SESSION = Duration.ofMinutes(4);

  abstract ZooKeeperStrategy strategy();

  abstract ZooKeeperServer server();

  abstract Looker looker();

  @Override
  protected LockStore open() {
    return ZooKeeperStore.open(
        "zk://" + server().address(),
        ZooKeeperOptions.DEFAULT.withStrategy(strategy()).withSessionTimeout(LONG_SESSION));
  }

  @Override
  protected long leftovers(LockStore store, String prefix) {
    return looker().nodesOf("/pawl", prefix);
  }

  /** A lease is ended by the process that has it, which on a busy machine comes late. */
  @Override
  protected Duration expiryDelay() {
    return Duration.ofMillis(400);
  }

  @Override
  protected int largestSpan() {
    return Tokens.MOST;
  }

  @Override
  protected boolean hasSessions() {
    return true;
  }
}
