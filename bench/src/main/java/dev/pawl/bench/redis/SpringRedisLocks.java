package dev.pawl.bench.redis;

import dev.pawl.bench.contest.Competitor;
import dev.pawl.bench.peer.JavaLocks;
import dev.pawl.bench.peer.ShedLocks;
import java.net.URI;
import net.javacrumbs.shedlock.provider.redis.spring.RedisLockProvider;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/** The peers that stand on Spring Data Redis, here with Lettuce. */
final class SpringRedisLocks {

  private SpringRedisLocks() {}

  static Competitor spinning(String address) {
    return registry(address, "spring-spin", RedisLockType.SPIN_LOCK);
  }

  static Competitor subscribing(String address) {
    return registry(address, "spring-pub-sub", RedisLockType.PUB_SUB_LOCK);
  }

  static Competitor shedLock(String address) {
    LettuceConnectionFactory factory = connect(address);
    return new ShedLocks(new RedisLockProvider(factory, "bench"), factory::destroy);
  }

  private static Competitor registry(String address, String key, RedisLockType type) {
    LettuceConnectionFactory factory = connect(address);
    RedisLockRegistry registry = new RedisLockRegistry(factory, key, RawScripts.LEASE_MILLIS);
    registry.setRedisLockType(type);
    return new JavaLocks(
        registry::obtain,
        () -> {
          registry.destroy();
          factory.destroy();
        });
  }

  private static LettuceConnectionFactory connect(String address) {
    URI uri = URI.create(address);
    LettuceConnectionFactory factory = new LettuceConnectionFactory(uri.getHost(), uri.getPort());
    factory.afterPropertiesSet();
    factory.start();
    return factory;
  }
}
