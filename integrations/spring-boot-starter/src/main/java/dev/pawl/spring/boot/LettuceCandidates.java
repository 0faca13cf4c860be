package dev.pawl.spring.boot;

import dev.pawl.Store;
import dev.pawl.redis.LettuceStores;
import dev.pawl.redis.RedisOptions;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.RedisClusterClient;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisPassword;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.StringUtils;

/** Stores over the client of Spring Data Redis: one server, Sentinels or a cluster. */
final class LettuceCandidates implements StoreCandidates {

  @Override
  public Class<?> type() {
    return LettuceConnectionFactory.class;
  }

  @Override
  public Store open(Object bean) {
    LettuceConnectionFactory factory = (LettuceConnectionFactory) bean;
    AbstractRedisClient client = factory.getRequiredNativeClient();
    if (client instanceof RedisClusterClient cluster) {
      RedisNode node = factory.getClusterConfiguration().getClusterNodes().iterator().next();
      RedisURI uri = at(factory, RedisURI.Builder.redis(node.getHost(), node.getPort()));
      return LettuceStores.over(cluster, uri, RedisOptions.DEFAULT);
    }
    return LettuceStores.over((RedisClient) client, uri(factory), RedisOptions.DEFAULT);
  }

  private static RedisURI uri(LettuceConnectionFactory factory) {
    RedisSentinelConfiguration sentinels = factory.getSentinelConfiguration();
    if (sentinels == null) {
      return at(factory, RedisURI.Builder.redis(factory.getHostName(), factory.getPort()));
    }
    RedisURI.Builder builder = RedisURI.builder();
    for (RedisNode each : sentinels.getSentinels()) {
      RedisURI.Builder sentinel = RedisURI.Builder.redis(each.getHost(), each.getPort());
      log(sentinel, sentinels.getSentinelUsername(), sentinels.getSentinelPassword());
      builder.withSentinel(sentinel.build());
    }
    if (sentinels.getMaster() != null && sentinels.getMaster().getName() != null) {
      builder.withSentinelMasterId(sentinels.getMaster().getName());
    }
    return at(factory, builder);
  }

  private static RedisURI at(LettuceConnectionFactory factory, RedisURI.Builder builder) {
    String user =
        factory.getSentinelConfiguration() != null
            ? factory.getSentinelConfiguration().getUsername()
            : factory.getClusterConfiguration() != null
                ? factory.getClusterConfiguration().getUsername()
                : factory.getStandaloneConfiguration().getUsername();
    log(builder, user, RedisPassword.of(factory.getPassword()));
    return builder
        .withDatabase(factory.getDatabase())
        .withSsl(factory.isUseSsl())
        .withVerifyPeer(factory.getClientConfiguration().getVerifyMode())
        .withStartTls(factory.isStartTls())
        .build();
  }

  private static void log(
      RedisURI.Builder builder,
      @org.jspecify.annotations.Nullable String user,
      RedisPassword password) {
    if (!password.isPresent()) {
      return;
    }
    if (StringUtils.hasText(user)) {
      builder.withAuthentication(user, password.get());
    } else {
      builder.withPassword(password.get());
    }
  }
}
