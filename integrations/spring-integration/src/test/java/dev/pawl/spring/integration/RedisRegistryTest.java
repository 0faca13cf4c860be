package dev.pawl.spring.integration;

import dev.pawl.testservers.RedisServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class RedisRegistryTest extends RegistryCases {

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
  String url() {
    return server.url();
  }
}
