package dev.pawl.zookeeper;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;

/** Opens {@code zk:}. */
public final class ZooKeeperStoreProvider implements StoreProvider {

  @Override
  public String form() {
    return ZooKeeperUrl.FORM;
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("zk://");
  }

  @Override
  public LockStore open(String url) {
    return ZooKeeperStore.open(url);
  }

  @Override
  public LockStore openExisting(String url) {
    return ZooKeeperStore.openExisting(url);
  }
}
