package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Another such cluster, through Jedis. */
class JedisClusterConformanceTest extends RedisConformance {

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
    return RedisStore.open(cluster.url() + "?client=jedis");
  }

  @Override
  List<RedisServer> servers() {
    return cluster.servers();
  }
}
