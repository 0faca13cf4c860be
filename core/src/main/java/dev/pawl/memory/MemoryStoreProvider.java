package dev.pawl.memory;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;

/** Opens {@code memory:}, an empty store that ends with its node. */
public final class MemoryStoreProvider implements StoreProvider {

  @Override
  public String form() {
    return "memory:";
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("memory:");
  }

  @Override
  public LockStore open(String url) {
    if (!url.equals("memory:")) {
      throw new IllegalArgumentException(
          "\""
              + url
              + "\": nothing may follow memory: (to share one, pass the same MemoryStore to"
              + " several nodes)");
    }
    return new MemoryStore();
  }
}
