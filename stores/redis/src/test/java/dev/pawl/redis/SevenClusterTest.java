package dev.pawl.redis;

import static dev.pawl.redis.ListeningCluster.seven;

import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Tests on a cluster of Redis 7, one for the class; skipped where that is not installed. */
@ResourceLock("SevenClusterTest.cluster")
abstract class SevenClusterTest {

  static ListeningCluster cluster;

  @BeforeAll
  static void start() {
    cluster =
        RedisBinary.installedSeven()
            .map(binary -> new ListeningCluster(RedisCluster.startWith(binary)))
            .orElse(null);
  }

  @BeforeEach
  void skipWithout() {
    var unused = seven();
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }
}
