package dev.pawl.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import org.junit.jupiter.api.Test;

class ServersTest {

  @Test
  void postgresIsKilledAndStartsAgain() {
    try (PostgresServer server = PostgresServer.start()) {
      server.kill();
      assertThat(server.process().isAlive()).isFalse();
      server.restart();
      assertThat(server.process().isAlive()).isTrue();
    }
  }

  @Test
  void mariaDbIsKilledAndStartsAgain() {
    try (MariaDbServer server = MariaDbServer.start()) {
      server.kill();
      assertThat(server.process().isAlive()).isFalse();
      server.restart();
      server.stop();
      server.restart();
      assertThat(server.process().isAlive()).isTrue();
    }
  }

  @Test
  void mySqlIsKilledAndStartsAgain() {
    assumeThat(MySqlServer.isAvailable()).as("MySQL runs here: it needs libaio.so.1").isTrue();
    try (MySqlServer server = MySqlServer.start()) {
      server.kill();
      assertThat(server.process().isAlive()).isFalse();
      server.restart();
      server.stop();
      server.restart();
      assertThat(server.process().isAlive()).isTrue();
    }
  }
}
