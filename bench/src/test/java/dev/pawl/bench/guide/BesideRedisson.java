package dev.pawl.bench.guide;

import dev.pawl.Pawl;
import dev.pawl.testservers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Two clients of Redisson and two nodes of Pawl on one Redis. */
abstract class BesideRedisson {

  static RedisServer server;
  static RedissonClient redisson;
  static RedissonClient otherRedisson;

  final Workers workers = new Workers();
  Pawl pawl;
  Pawl other;

  static RedissonClient redisson(RedisServer server) {
    Config config = new Config();
    config
        .useSingleServer()
        .setAddress(server.url())
        .setConnectionMinimumIdleSize(2)
        .setConnectionPoolSize(16);
    return Redisson.create(config);
  }

  @BeforeAll
  static void start() {
    server = RedisServer.start();
    redisson = redisson(server);
    otherRedisson = redisson(server);
  }

  @AfterAll
  static void stop() {
    redisson.shutdown();
    otherRedisson.shutdown();
    server.close();
  }

  @BeforeEach
  final void connect() {
    server.call("FLUSHALL");
    pawl = Pawl.connect(server.url());
    other = Pawl.connect(server.url());
  }

  @AfterEach
  final void close() {
    workers.close();
    pawl.close();
    other.close();
  }
}
