package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StaleTokenException;
import dev.pawl.redis.port.Slots;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import org.junit.jupiter.api.Test;

class RedisFenceTest {

  @Test
  void aLowerTokenIsRefusedAndChangesNothing() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url() + "?timeout=20s")) {
      RedisFence fence = RedisFence.in(store);
      fence.set("report", "first", 9);
      fence.set("report", "second", 1_794_725_417_671_737L);
      fence.set("report", "again", 1_794_725_417_671_737L);

      assertThatThrownBy(() -> fence.set("report", "stale", 1_794_725_417_671_736L))
          .isInstanceOf(StaleTokenException.class)
          .hasMessageContaining("1794725417671737");
      assertThat(server.call("GET", "report")).isEqualTo("again");

      fence.check("report", Long.MAX_VALUE);
      assertThatThrownBy(() -> fence.check("report", Long.MAX_VALUE - 1))
          .isInstanceOf(StaleTokenException.class);
    }
  }

  @Test
  void keysWithBracesHaveTokensOfTheirOwnAlsoInACluster() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisStore store = RedisStore.open(cluster.url() + "?timeout=20s")) {
      RedisFence fence = RedisFence.in(store);
      long token = 9;
      for (String key : List.of("{x}", "x", "a{x}", "{x}a", "a{x}{y}")) {
        fence.set(key, "first", token);
        assertThatThrownBy(() -> fence.set(key, "stale", 1))
            .isInstanceOf(StaleTokenException.class);
        RedisServer master = cluster.masterOf(Slots.of(key));
        assertThat(master.call("GET", key)).isEqualTo("first");
        token--;
      }
      assertThatThrownBy(() -> fence.set("a{}", "no tag", 9))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }
}
