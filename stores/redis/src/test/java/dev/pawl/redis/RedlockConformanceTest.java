package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** Redlock over five servers. */
class RedlockConformanceTest extends RedisConformance {

  private static List<RedisServer> servers;

  @BeforeAll
  static void start() {
    servers = Stream.generate(RedisServer::start).limit(5).toList();
  }

  @AfterAll
  static void stop() {
    servers.forEach(RedisServer::close);
  }

  static String url(List<RedisServer> servers) {
    return "redlock://"
        + servers.stream().map(s -> "127.0.0.1:" + s.port()).collect(Collectors.joining(","));
  }

  @Override
  protected LockStore open() {
    return RedlockStore.open(url(servers) + "?serverTimeout=2s");
  }

  @Override
  List<RedisServer> servers() {
    return servers;
  }
}
