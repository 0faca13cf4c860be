package dev.pawl.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
      assertThat(found).hasSize(2);
      assertThat(server.port()).isEqualTo(found.get(1));
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
  void whatNeverStartsSaysWhy() {
    assertThatThrownBy(() -> RedisServer.start("--no-such-setting", "yes"))
        .isInstanceOf(ServerStart.FailedException.class)
        .hasMessageContaining("no-such-setting");
  }
}
