package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.testservers.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A connection that is gone, and nobody was told: new ones go through. */
class HalfOpenConnectionTest {

  private static final RedisOptions OPTIONS =
      RedisOptions.DEFAULT.withCommandTimeout(Duration.ofMillis(500));

  @ParameterizedTest
  @ValueSource(strings = {"lettuce", "jedis"})
  void ofAUrlIsReplaced(String client) throws Exception {
    try (RedisServer server = RedisServer.start();
        ForgetfulFirewall firewall = new ForgetfulFirewall(server.port());
        RedisStore store =
            RedisStore.open(
                "redis://127.0.0.1:" + firewall.port() + "?client=" + client, OPTIONS)) {
      assertIsReplaced(store, firewall);
    }
  }

  @Test
  void ofAClientThatIsHandedInIsReplaced() throws Exception {
    try (RedisServer server = RedisServer.start();
        ForgetfulFirewall firewall = new ForgetfulFirewall(server.port());
        RedisClient client = RedisClient.create();
        RedisStore store =
            LettuceStores.over(client, RedisURI.create("127.0.0.1", firewall.port()), OPTIONS)) {
      assertIsReplaced(store, firewall);
    }
  }

  private static void assertIsReplaced(RedisStore store, ForgetfulFirewall firewall) {
    ListeningCluster.until(() -> isAnswered(store));
    firewall.forget();
    assertThat(isAnswered(store)).isFalse();
    ListeningCluster.until(() -> isAnswered(store));
  }

  private static boolean isAnswered(RedisStore store) {
    try {
      store.nowMicros().toCompletableFuture().get(60, TimeUnit.SECONDS);
      return true;
    } catch (Exception e) {
      return false;
    }
  }
}
