package dev.pawl.hazelcast;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;

/** Opens {@code hazelcast:}. */
public final class HazelcastStoreProvider implements StoreProvider {

  @Override
  public String form() {
    return "hazelcast://[CLUSTER@]HOST[:PORT],…";
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("hazelcast:");
  }

  @Override
  public LockStore open(String url) {
    return HazelcastStore.open(url);
  }
}
