package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.StaleTokenException;
import dev.pawl.testservers.RedisServer;
import org.junit.jupiter.api.Test;

class RedisFenceTest {

  @Test
  void aLowerTokenIsRefusedAndChangesNothing() {
    try (RedisServer server = RedisServer.start();
        RedisStore store = RedisStore.open(server.url())) {
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
  void aKeyAndItsTokenLiveInOneSlot() {
    assertThat(RedisKeys.slot("pawl-fence:{report}")).isEqualTo(RedisKeys.slot("report"));
    assertThat(RedisKeys.slot("pawl-fence:a{b}c")).isEqualTo(RedisKeys.slot("a{b}c"));
  }
}
