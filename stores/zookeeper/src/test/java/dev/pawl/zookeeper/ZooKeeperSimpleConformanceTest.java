package dev.pawl.zookeeper;

/** The same with the simple strategy, and what it cannot do refused. */
class ZooKeeperSimpleConformanceTest extends ZooKeeperConformanceTest {

  @Override
  ZooKeeperStrategy strategy() {
    return ZooKeeperStrategy.SIMPLE;
  }
}
