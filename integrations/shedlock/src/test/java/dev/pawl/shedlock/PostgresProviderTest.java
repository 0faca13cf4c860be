package dev.pawl.shedlock;

import dev.pawl.testservers.PostgresServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

class PostgresProviderTest extends ProviderCases {

  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
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
