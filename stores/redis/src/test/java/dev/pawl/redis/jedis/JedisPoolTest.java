package dev.pawl.redis.jedis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.Scripts;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.util.Pool;

/** Connections of a pool that break together, as with a restart of the server or of a proxy. */
class JedisPoolTest {

  private static final int CONNECTIONS = 30;

  /** A server that is only slow has not lost a connection. */
  static final JedisClientConfig PATIENT =
      DefaultJedisClientConfig.builder()
          .connectionTimeoutMillis(60_000)
          .socketTimeoutMillis(60_000)
          .build();

  private static ConnectionPoolConfig pool() {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(CONNECTIONS);
    pool.setMaxIdle(CONNECTIONS);
    return pool;
  }

  @Test
  void thoseOfAServerCostOneAnswer() throws Exception {
    try (RedisServer server = RedisServer.start();
        RedisClient client =
            RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
                .clientConfig(PATIENT)
                .poolConfig(pool())
                .build();
        RedisPort port = new JedisPort(client, server.url(), () -> {})) {
      assertThatOneAnswerIsLost(port, client.getPool(), server);
    }
  }

  @Test
  void thoseOfAMasterCostOneAnswer() throws Exception {
    try (RedisCluster cluster = RedisCluster.start()) {
      RedisServer server = cluster.masterOf(Slots.of("a"));
      HostAndPort address = new HostAndPort("127.0.0.1", server.port());
      try (RedisClusterClient client =
              RedisClusterClient.builder()
                  .nodes(Set.of(address))
                  .clientConfig(PATIENT)
                  .maxAttempts(2)
                  .poolConfig(pool())
                  .build();
          RedisPort port = new JedisPort(client, cluster.url(), () -> {})) {
        assertThatOneAnswerIsLost(port, client.getClusterNodes().get(address.toString()), server);
      }
    }
  }

  @Test
  void aServerThatIsSilentIsAskedOnce() throws Exception {
    JedisClientConfig impatient =
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis(60_000)
            .socketTimeoutMillis(5_000)
            .build();
    try (RedisServer server = RedisServer.start();
        RedisClient client =
            RedisClient.builder()
                .hostAndPort(new HostAndPort("127.0.0.1", server.port()))
                .clientConfig(impatient)
                .poolConfig(pool())
                .build();
        RedisPort port = new JedisPort(client, server.url(), () -> {})) {
      client.getPool().addObjects(CONNECTIONS - client.getPool().getNumIdle());
      server.pause();

      assertThat(isAnswered(port)).isFalse();
      // A second one would have kept its caller for as long again.
      assertThat(client.getPool().getNumIdle()).isEqualTo(CONNECTIONS - 1);
      server.resume();
    }
  }

  private static void assertThatOneAnswerIsLost(
      RedisPort port, Pool<Connection> pool, RedisServer server) throws Exception {
    pool.addObjects(CONNECTIONS - pool.getNumIdle());
    assertThat(pool.getNumIdle()).isEqualTo(CONNECTIONS);
    server.call("CLIENT", "KILL", "TYPE", "normal");

    assertThat(isAnswered(port)).isFalse();
    assertThat(isAnswered(port)).isTrue();
  }

  private static boolean isAnswered(RedisPort port) throws Exception {
    CompletableFuture<Object> answer =
        port.eval(Scripts.NOW, List.of("a"), List.of()).toCompletableFuture();
    return answer.handle((value, error) -> error == null).get(60, TimeUnit.SECONDS);
  }
}
