package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** One Redis, through Lettuce. */
class LettuceConformanceTest extends RedisConformance {

  private static RedisServer server;

  @BeforeAll
  static void start() {
    server = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Override
  protected LockStore open() {
    return RedisStore.open(server.url());
  }

  @Override
  List<RedisServer> servers() {
    return List.of(server);
  }
}
