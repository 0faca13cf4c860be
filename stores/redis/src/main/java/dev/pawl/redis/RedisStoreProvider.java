package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;
import java.util.Set;

/** Opens {@code redis:}, {@code rediss:}, {@code redis-sentinel:} and {@code redis-cluster:}. */
public final class RedisStoreProvider implements StoreProvider {

  private static final Set<String> SCHEMES =
      Set.of("redis", "rediss", "redis-sentinel", "redis-cluster");

  @Override
  public String form() {
    return "redis[s]://HOST[:PORT][/DATABASE], redis-sentinel://HOST,…/MASTER,"
        + " redis-cluster://HOST,…";
  }

  @Override
  public boolean accepts(String url) {
    int end = url.indexOf("://");
    return end > 0 && SCHEMES.contains(url.substring(0, end));
  }

  @Override
  public LockStore open(String url) {
    return RedisStore.open(url);
  }
}
