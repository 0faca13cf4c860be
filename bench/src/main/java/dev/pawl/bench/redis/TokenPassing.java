package dev.pawl.bench.redis;

import dev.pawl.bench.contest.Competitor;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import redis.clients.jedis.UnifiedJedis;

/**
 * A token in a list, which the server hands to whoever has waited longest by {@code BLPOP}. As fast
 * as a queue in Redis can be; and a token that is lost with its holder is lost for ever.
 */
final class TokenPassing implements Competitor {

  private static final String CREATE =
      """
      if redis.call('setnx', KEYS[1] .. ':created', '1') == 1 then
        redis.call('rpush', KEYS[1], 'token')
      end
      return 1
      """;

  private final UnifiedJedis jedis;
  private final Set<String> created = ConcurrentHashMap.newKeySet();

  TokenPassing(String address) {
    jedis = RawJedis.connect(address);
  }

  @Override
  public Hold acquire(String name) {
    String key = key(name);
    jedis.blpop(0, key);
    return () -> jedis.rpush(key, "token");
  }

  @Override
  public Optional<Hold> tryAcquire(String name) {
    String key = key(name);
    return jedis.lpop(key) == null
        ? Optional.empty()
        : Optional.of(() -> jedis.rpush(key, "token"));
  }

  private String key(String name) {
    String key = "token:" + name;
    if (created.add(name)) {
      jedis.eval(CREATE, List.of(key), List.of());
    }
    return key;
  }

  @Override
  public void close() {
    jedis.close();
  }
}
