package dev.pawl.zookeeper;

import dev.pawl.testservers.ZooKeeperServer;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The suite with the fair strategy. */
class ZooKeeperConformanceTest extends ZooKeeperConformance {

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
    return ZooKeeperStrategy.FAIR;
  }
}
