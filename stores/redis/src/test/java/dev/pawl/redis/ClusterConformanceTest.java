package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/**
 * A cluster of three masters, through Lettuce; of the server that is installed, where there is one.
 */
class ClusterConformanceTest extends RedisConformance {

  private static RedisCluster cluster;

  @BeforeAll
  static void start() {
    cluster = RedisCluster.startWith(RedisBinary.newest());
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @Override
  protected LockStore open() {
    return RedisStore.open(cluster.url());
  }

  @Override
  List<RedisServer> servers() {
    return cluster.servers();
  }
}
