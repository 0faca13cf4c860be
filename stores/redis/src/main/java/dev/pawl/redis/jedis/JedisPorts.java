package dev.pawl.redis.jedis;

import dev.pawl.redis.port.FirstConnection;
import dev.pawl.redis.port.RedisPort;
import dev.pawl.redis.port.RedisUrl;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** Ports over Jedis, whose calls block: with a client of the application, or of their own. */
public final class JedisPorts {

  /** A thread that acquires or releases has a connection to itself for one round trip. */
  static final int MOST_CONNECTIONS = 64;

  private JedisPorts() {}

  /** Opens a port over a client that the caller owns. */
  public static RedisPort over(UnifiedJedis client) {
    if (client.getClass().getSimpleName().equals("JedisCluster")) {
      throw new IllegalArgumentException(
          "JedisCluster does not give its connections away; use a RedisClusterClient");
    }
    JedisConnections.check(client);
    return new JedisPort(client, "redis (Jedis)", () -> {});
  }

  /** Opens a port with a client of its own. */
  public static RedisPort open(RedisUrl url, Duration commandTimeout) {
    return new FirstConnection(commandTimeout).open(() -> connect(url, commandTimeout));
  }

  private static RedisPort connect(RedisUrl url, Duration commandTimeout) {
    String where = url.toString();
    UnifiedJedis client;
    try {
      client = client(url, commandTimeout);
    } catch (JedisException e) {
      throw JedisErrors.atFirst(where, e);
    }
    // Of a cluster one server that answers: the client would ask all masters for a ping of its own.
    try (Connection any = JedisConnections.of(client).getConnection()) {
      any.ping();
    } catch (JedisException e) {
      client.close();
      throw JedisErrors.atFirst(where, e);
    }
    return new JedisPort(client, where, client::close);
  }

  private static UnifiedJedis client(RedisUrl url, Duration timeout) {
    DefaultJedisClientConfig.Builder config = config(url, timeout, url.user(), url.password());
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(MOST_CONNECTIONS);
    pool.setMaxIdle(MOST_CONNECTIONS);
    pool.setMaxWait(timeout);
    Set<HostAndPort> hosts =
        url.hosts().stream()
            .map(host -> new HostAndPort(host.name(), host.port()))
            .collect(Collectors.toSet());
    return switch (url.scheme()) {
      case "redis-cluster" ->
          RedisClusterClient.builder()
              .nodes(hosts)
              .maxAttempts(2)
              .clientConfig(config.build())
              .poolConfig(pool)
              .build();
      case "redis-sentinel" ->
          RedisSentinelClient.builder()
              .masterName(url.path())
              .sentinels(hosts)
              .sentinelClientConfig(
                  config(url, timeout, url.sentinelUser(), url.sentinelPassword()).build())
              .clientConfig(config.database(url.database()).build())
              .poolConfig(pool)
              .build();
      default ->
          RedisClient.builder()
              .hostAndPort(hosts.iterator().next())
              .clientConfig(config.database(url.database()).build())
              .poolConfig(pool)
              .build();
    };
  }

  private static DefaultJedisClientConfig.Builder config(
      RedisUrl url, Duration timeout, @Nullable String user, @Nullable String password) {
    int millis = Math.toIntExact(timeout.toMillis());
    DefaultJedisClientConfig.Builder config =
        DefaultJedisClientConfig.builder()
            .connectionTimeoutMillis(millis)
            .socketTimeoutMillis(millis);
    if (password != null) {
      config.user(user).password(password);
    }
    return url.tls() ? config.sslOptions(SslOptions.defaults()) : config;
  }
}
