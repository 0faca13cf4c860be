package dev.pawl.engine;

import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;
import java.util.Objects;

/** Makes nodes, and finds the store of a URL; what {@link Pawl#connect} stands on. */
public final class NodeFactory implements Pawl.Factory {

  @Override
  public Pawl.Builder builder(String url) {
    Objects.requireNonNull(url, "url");
    return new NodeBuilder(
        () -> StoreProvider.forUrl(url).open(url),
        () -> StoreProvider.forUrl(url).openExisting(url),
        true);
  }

  @Override
  public Pawl.Builder builder(Store store) {
    Objects.requireNonNull(store, "store");
    if (!(store instanceof LockStore lockStore)) {
      throw new IllegalArgumentException(
          store.describe() + " is no dev.pawl.spi.LockStore, which is what a node works on");
    }
    return new NodeBuilder(() -> lockStore, () -> lockStore, false);
  }
}
