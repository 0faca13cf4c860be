package dev.pawl.redis;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;

/** Opens {@code redlock:}, several independent servers. */
public final class RedlockStoreProvider implements StoreProvider {

  @Override
  public String form() {
    return "redlock://HOST[:PORT],HOST[:PORT],HOST[:PORT][,…]";
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("redlock://");
  }

  @Override
  public LockStore open(String url) {
    return RedlockStore.open(url);
  }
}
