package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisBinary;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One Redis, through Jedis; the one that is installed, where there is one. */
class JedisConformanceTest extends RedisConformance {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.startWith(RedisBinary.newest());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected LockStore open() {
    return RedisStore.open(server.url() + "?client=jedis");
  }

  @Override
  List<RedisServer> servers() {
    return List.of(server);
  }
}
