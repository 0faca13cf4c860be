package dev.pawl.engine;

import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.engine.link.Names;
import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes nodes, and finds the store of a URL; what {@link Pawl#connect} stands on. */
public final class NodeFactory implements Pawl.Factory {

  @Override
  public Pawl.Builder builder(String url) {
    Objects.requireNonNull(url, "url");
    return new NodeBuilder(
        () -> provider(url).open(url), () -> provider(url).openExisting(url), true);
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

  private static StoreProvider provider(String url) {
    List<String> forms = new ArrayList<>();
    for (StoreProvider provider : providers()) {
      if (provider.accepts(url)) {
        return provider;
      }
      forms.add(provider.form());
    }
    // What follows the scheme may be a secret.
    int colon = url.indexOf(':');
    throw new IllegalArgumentException(
        "no store opens "
            + (colon < 0
                ? "a URL without a scheme"
                : Names.quote(url.substring(0, colon + 1)) + " URLs")
            + "; on the class path are stores for "
            + String.join(", ", forms)
            + ". Is the module of the store missing (pawl-jdbc, pawl-redis, …)?");
  }

  private static Set<StoreProvider> providers() {
    Set<StoreProvider> providers = new LinkedHashSet<>();
    Set<Class<?>> kinds = new LinkedHashSet<>();
    @Nullable ClassLoader context = Thread.currentThread().getContextClassLoader();
    for (ClassLoader loader : new ClassLoader[] {context, NodeFactory.class.getClassLoader()}) {
      for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
        if (kinds.add(provider.getClass())) {
          providers.add(provider);
        }
      }
    }
    return providers;
  }
}
