package dev.pawl.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.testservers.RedisCluster;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster of servers before Redis 7, which have no shard channels. */
class OlderClusterTest {

  @Test
  void aHandOverIsToldToAllServers() throws Exception {
    try (ListeningCluster old = new ListeningCluster(RedisCluster.start())) {
      for (String client : List.of("lettuce", "jedis")) {
        try (Pawl a = old.connect(client);
            Pawl b = old.connect(client)) {
          assertThat(old.handOver(a, b, "a")).as(client).isEqualTo(ListeningCluster.TO_ALL);
        }
      }
    }
  }
}
