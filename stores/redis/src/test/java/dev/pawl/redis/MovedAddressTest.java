package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import dev.pawl.testservers.RedisServer;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * An address that stands for the master, whichever that is: the one before is a replica now, and
 * connections to it stay open.
 */
class MovedAddressTest {

  @ParameterizedTest
  @ValueSource(strings = {"client=lettuce", "client=jedis", "client=lettuce&replicas=1"})
  void isFollowed(String parameters) throws Exception {
    try (RedisServer before = RedisServer.start();
        RedisServer after = RedisServer.start();
        RedisServer replica = RedisServer.start();
        ForgetfulFirewall address = new ForgetfulFirewall(before.port())) {
      replica.call("REPLICAOF", "127.0.0.1", "" + before.port());
      try (RedisStore store =
          RedisStore.open("redis://127.0.0.1:" + address.port() + "?timeout=20s&" + parameters)) {
        ListeningCluster.until(() -> isGranted(store));
        address.leadTo(after.port());
        before.call("REPLICAOF", "127.0.0.1", "" + after.port());
        replica.call("REPLICAOF", "127.0.0.1", "" + after.port());
        ListeningCluster.until(
            () -> before.call("INFO", "replication").toString().contains("role:slave"));

        ListeningCluster.until(() -> isGranted(store));
        assertThat(after.call("DBSIZE")).isEqualTo(1L);
      }
    }
  }

  private static boolean isGranted(RedisStore store) {
    try {
      return acquire(store) instanceof AcquireReply.Granted;
    } catch (Exception e) {
      return false;
    }
  }

  private static AcquireReply acquire(RedisStore store) throws Exception {
    return store
        .acquire(
            new Command.Acquire(
                "a",
                new ClaimId("n", 1),
                Command.EVERYTHING,
                Command.EVERYTHING,
                600_000_000,
                1,
                OptionalLong.empty(),
                false,
                false,
                "label",
                "actor"))
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
  }
}
