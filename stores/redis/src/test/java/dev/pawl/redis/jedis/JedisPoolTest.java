package dev.pawl.redis.jedis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.redis.JedisStores;
import dev.pawl.redis.RedisOptions;
import dev.pawl.redis.RedisStore;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.Slots;
import dev.pawl.redis.store.Scripts;
import dev.pawl.testservers.RedisCluster;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.SentinelGroup;
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
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.UnifiedJedis;
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
    return pool(CONNECTIONS);
  }

  private static ConnectionPoolConfig pool(int connections) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(connections);
    pool.setMaxIdle(connections);
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

  /** Messages keep one: nothing would ever be answered. */
  @Test
  void oneWithoutAConnectionForCommandsIsRefused() throws Exception {
    try (RedisServer server = RedisServer.start()) {
      HostAndPort address = new HostAndPort("127.0.0.1", server.port());
      try (RedisClient client = limited(address, 1)) {
        assertThatThrownBy(() -> JedisStores.over(client, RedisOptions.DEFAULT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("maxTotal of this client's pool is 1")
            .hasMessageContaining("2 or more");
      }
      try (UnifiedJedis client = withOneConnection(address)) {
        assertThatThrownBy(() -> JedisStores.over(client, RedisOptions.DEFAULT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("no pool");
      }
      try (RedisClient client = limited(address, 2);
          RedisStore store = JedisStores.over(client, RedisOptions.DEFAULT);
          Pawl pawl = Pawl.builder(store).build()) {
        pawl.lock("a").acquire().close();
      }
    }
  }

  @SuppressWarnings("deprecation") // There is no other way to one without a pool.
  private static UnifiedJedis withOneConnection(HostAndPort address) {
    return new UnifiedJedis(new Connection(address, PATIENT));
  }

  private static RedisClient limited(HostAndPort address, int connections) {
    return RedisClient.builder()
        .hostAndPort(address)
        .clientConfig(PATIENT)
        .poolConfig(pool(connections))
        .build();
  }

  /** A server has those for the messages of its shards, and may have the one for others. */
  @Test
  void oneOfAClusterWithoutAConnectionForCommandsIsRefused() {
    try (RedisCluster cluster = RedisCluster.start();
        RedisClusterClient client =
            RedisClusterClient.builder()
                .nodes(Set.of(new HostAndPort("127.0.0.1", cluster.servers().get(0).port())))
                .clientConfig(PATIENT)
                .poolConfig(pool(2))
                .build()) {
      assertThatThrownBy(() -> JedisStores.over(client, RedisOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("3 or more");
    }
  }

  @Test
  void oneBehindSentinelWithoutAConnectionForCommandsIsRefused() {
    try (SentinelGroup group = SentinelGroup.start(0);
        RedisSentinelClient client =
            RedisSentinelClient.builder()
                .masterName(group.url().substring(group.url().lastIndexOf('/') + 1))
                .sentinels(Set.of(new HostAndPort("127.0.0.1", group.sentinels().get(0).port())))
                .clientConfig(PATIENT)
                .sentinelClientConfig(PATIENT)
                .poolConfig(pool(1))
                .build()) {
      assertThatThrownBy(() -> JedisStores.over(client, RedisOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 or more");
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
