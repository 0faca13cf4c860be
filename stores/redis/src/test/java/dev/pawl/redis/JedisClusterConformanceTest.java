package dev.pawl.redis;

/** The same cluster through Jedis. */
class JedisClusterConformanceTest extends ClusterConformanceTest {

  @Override
  String options() {
    return "?client=jedis";
  }
}
