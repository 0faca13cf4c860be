package dev.pawl.zookeeper;

import dev.pawl.testservers.ZooKeeperServer;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The same with the simple strategy, and what it cannot do refused. */
class ZooKeeperSimpleConformanceTest extends ZooKeeperConformance {

  private static ZooKeeperServer server;
  private static Looker looker;

  @BeforeAll
  static void start() {
    server = ZooKeeperServer.start(Map.of());
    looker = new Looker(server.address());
  }

  @AfterAll
  static void stop() {
    looker.close();
    server.close();
  }

  @Override
  ZooKeeperServer server() {
    return server;
  }

  @Override
  Looker looker() {
    return looker;
  }

  @Override
  ZooKeeperStrategy strategy() {
    return ZooKeeperStrategy.SIMPLE;
  }
}
