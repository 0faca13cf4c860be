package dev.pawl.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ServerStartTest {

  private static RedisServer startOn(int port) {
    return RedisServer.onPort(
        port, RedisServer.newDirectory(), RedisBinary.bundled(), Optional.empty(), List.of());
  }

  @Test
  void aServerWhosePortIsAnothersByThenGetsTheNext() {
    List<Integer> found = new ArrayList<>();
    try (RedisServer faster = RedisServer.start();
        RedisServer server =
            ServerStart.onFreePort(
                port -> {
                  found.add(port);
                  return startOn(found.size() == 1 ? faster.port() : port);
                })) {
      // And once more, where somebody of another process is faster.
      assertThat(found).hasSizeGreaterThan(1);
      assertThat(server.port()).isEqualTo(found.get(found.size() - 1));
      server.call("SET", "key", "its own");
      assertThat(faster.call("EXISTS", "key")).isEqualTo(0L);
    }
  }

  @Test
  void aServerComesBackWhenItsPortIsFree() {
    RedisServer between = RedisServer.start();
    try (RedisServer back =
        ServerStart.onItsPort(
            () -> {
              try {
                return startOn(between.port());
              } finally {
                between.close();
              }
            })) {
      assertThat(back.port()).isEqualTo(between.port());
      assertThat(back.call("PING")).isEqualTo("PONG");
    }
  }

  @Test
  void noConnectionOfTheSystemTakesThePortOfAServerThatIsDown() throws IOException {
    Path range = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
    int firstOfConnections = Integer.parseInt(Files.readAllLines(range).get(0).split("\\s", -1)[0]);
    int port = ServerStart.freePort();
    assertThat(port).isNotEqualTo(ServerStart.freePort());
    assertThat(port + 10_000).as("the bus of a cluster").isLessThan(firstOfConnections);
  }

  @Test
  void whatNeverStartsSaysWhy() {
    assertThatThrownBy(() -> RedisServer.start("--no-such-setting", "yes"))
        .isInstanceOf(ServerStart.FailedException.class)
        .hasMessageContaining("no-such-setting");
  }
}
