package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** A master and a replica behind Sentinel. */
class SentinelConformanceTest extends RedisConformance {

  private static SentinelGroup group;

  @BeforeAll
  static void start() {
    group = SentinelGroup.start(1);
  }

  @AfterAll
  static void stop() {
    group.close();
  }

  @Override
  protected LockStore open() {
    return RedisStore.open(group.url());
  }

  @Override
  List<RedisServer> servers() {
    return List.of(group.master());
  }
}
