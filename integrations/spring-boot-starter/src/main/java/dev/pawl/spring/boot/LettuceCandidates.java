package dev.pawl.spring.boot;

import dev.pawl.Store;
import dev.pawl.StoreUnavailableException;
import dev.pawl.redis.LettuceStores;
import dev.pawl.redis.RedisOptions;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.StaticCredentialsProvider;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/**
 * Stores over the client of Spring Data Redis: one server, Sentinels or a cluster, with the login
 * and the TLS of the factory's own connections.
 */
final class LettuceCandidates implements StoreCandidates {

  @Override
  public Class<?> type() {
    return LettuceConnectionFactory.class;
  }

  @Override
  public Store open(Object bean) {
    LettuceConnectionFactory factory = (LettuceConnectionFactory) bean;
    AbstractRedisClient client = factory.getRequiredNativeClient();
    return client instanceof RedisClusterClient cluster
        ? ofCluster(factory, cluster)
        : LettuceStores.over(
            (RedisClient) client, uri(factory, (RedisClient) client), RedisOptions.DEFAULT);
  }

  /** Any server that is up tells of the others. */
  private static Store ofCluster(LettuceConnectionFactory factory, RedisClusterClient client) {
    RedisConfiguration.ClusterConfiguration cluster = factory.getClusterConfiguration();
    StoreUnavailableException unreachable = null;
    for (RedisNode node : cluster.getClusterNodes()) {
      RedisURI uri = server(factory, (RedisConfiguration) cluster, at(node));
      try {
        return LettuceStores.over(client, uri, RedisOptions.DEFAULT);
      } catch (StoreUnavailableException e) {
        if (unreachable != null) {
          e.addSuppressed(unreachable);
        }
        unreachable = e;
      }
    }
    throw unreachable != null
        ? unreachable
        : new StoreChoiceException("The cluster of Redis has no servers", "Name some of them.");
  }

  private static RedisURI uri(LettuceConnectionFactory factory, RedisClient client) {
    RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
    if (sentinels != null) {
      return behind(factory, sentinels);
    }
    if (factory.getSocketConfiguration() != null) {
      String path = factory.getSocketConfiguration().getSocket();
      RedisURI socket = RedisURI.Builder.socket(path).build();
      return server(factory, (RedisConfiguration) factory.getSocketConfiguration(), socket);
    }
    if (!hasAddress(factory, client)) {
      throw new StoreChoiceException(
          "The LettuceConnectionFactory has a list of a master and its replicas, of which Pawl"
              + " cannot tell the master",
          "Set pawl.store to the URL of the master, such as redis://HOST:6379, or have Sentinels"
              + " name it.");
    }
    return server(
        factory,
        standalone(factory, client),
        RedisURI.create(factory.getHostName(), factory.getPort()));
  }

  /**
   * Returns the configuration of one server, with its user. A factory that was made with any {@code
   * RedisConfiguration} shows its password and not its user, whom its own connection knows.
   */
  private static RedisStandaloneConfiguration standalone(
      LettuceConnectionFactory factory, RedisClient client) {
    RedisStandaloneConfiguration shown = factory.getStandaloneConfiguration();
    if (factory.getPassword() == null || shown.getPassword().isPresent()) {
      return shown;
    }
    RedisStandaloneConfiguration with = new RedisStandaloneConfiguration();
    with.setUsername(user(client));
    return with;
  }

  private static @Nullable String user(RedisClient client) {
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return connection.sync().aclWhoami();
    } catch (RedisCommandExecutionException e) {
      if (!String.valueOf(e.getMessage()).startsWith("NOPERM")) {
        return null; // A server without users.
      }
      throw new StoreChoiceException(
          "The LettuceConnectionFactory does not show its user, who may not ask for it either: "
              + e.getMessage(),
          "Make it with a RedisStandaloneConfiguration, new LettuceConnectionFactory(standalone,"
              + " client); or allow the user +acl|whoami; or set pawl.store to the URL.");
    } catch (RedisException e) {
      return null; // Nobody is there: who opens the store says so.
    }
  }

  /**
   * Tells whether the factory has one server. With a list of servers it says localhost, as it does
   * where nothing was set, but its client was made without an address.
   */
  private static boolean hasAddress(LettuceConnectionFactory factory, RedisClient client) {
    if (!factory.getStandaloneConfiguration().equals(new RedisStandaloneConfiguration())) {
      return true;
    }
    try {
      client.connect().close();
      return true;
    } catch (IllegalStateException e) {
      return false;
    } catch (RedisException e) {
      return true; // It has one, and nobody is there.
    }
  }

  private static RedisURI behind(
      LettuceConnectionFactory factory, RedisSentinelConfiguration sentinels) {
    RedisURI uri = new RedisURI();
    if (sentinels.getMaster() != null && sentinels.getMaster().getName() != null) {
      uri.setSentinelMasterId(sentinels.getMaster().getName());
    }
    LettuceClientConfiguration client = factory.getClientConfiguration();
    for (RedisNode each : sentinels.getSentinels()) {
      RedisURI sentinel = withTls(client, at(each));
      logIn(sentinel, sentinels.getSentinelUsername(), sentinels.getSentinelPassword());
      client
          .getRedisCredentialsProviderFactory()
          .ifPresent(
              made ->
                  sentinel.setCredentialsProvider(
                      made.createSentinelCredentialsProvider(sentinels)));
      uri.getSentinels().add(sentinel);
    }
    return server(factory, sentinels, uri);
  }

  private static RedisURI at(RedisNode node) {
    return RedisURI.create(
        String.valueOf(node.getHost()), node.getPort() == null ? 0 : node.getPort());
  }

  private static RedisURI server(
      LettuceConnectionFactory factory, RedisConfiguration configuration, RedisURI uri) {
    LettuceClientConfiguration client = factory.getClientConfiguration();
    withTls(client, uri);
    uri.setDatabase(factory.getDatabase());
    if (configuration instanceof RedisConfiguration.WithAuthentication login) {
      // Not its own: of a factory that was made with any RedisConfiguration it is not shown.
      logIn(uri, login.getUsername(), RedisPassword.of(factory.getPassword()));
    }
    client
        .getRedisCredentialsProviderFactory()
        .ifPresent(
            made -> uri.setCredentialsProvider(made.createCredentialsProvider(configuration)));
    return uri;
  }

  private static RedisURI withTls(LettuceClientConfiguration client, RedisURI uri) {
    client.getClientName().ifPresent(uri::setClientName);
    uri.setSsl(client.isUseSsl());
    uri.setVerifyPeer(client.getVerifyMode());
    uri.setStartTls(client.isStartTls());
    return uri;
  }

  private static void logIn(RedisURI uri, @Nullable String user, RedisPassword password) {
    boolean hasUser = StringUtils.hasText(user);
    if (hasUser || password.isPresent()) {
      char[] secret = password.toOptional().orElse(new char[0]);
      uri.setCredentialsProvider(new StaticCredentialsProvider(hasUser ? user : null, secret));
    }
  }
}
