package dev.pawl.spi;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The providers of stores that are on the class path. */
final class Providers {

  /** What stands between the URLs of stores that are used together. */
  private static final String BETWEEN = " | ";

  private Providers() {}

  static StoreProvider forUrl(String url) {
    boolean combined = url.contains(BETWEEN);
    List<String> forms = new ArrayList<>();
    for (StoreProvider provider : all()) {
      if (provider.combines() == combined && provider.accepts(url)) {
        return provider;
      }
      forms.add(provider.form());
    }
    if (combined) {
      throw new IllegalArgumentException(
          "no store opens two URLs with \" | \" between them: put the module pawl-degrade on the"
              + " class path, or name one store");
    }
    // What follows the scheme may be a secret.
    int colon = url.indexOf(':');
    throw new IllegalArgumentException(
        "no store opens "
            + (colon < 0
                ? "a URL without a scheme"
                : "\"" + escaped(url.substring(0, colon + 1)) + "\" URLs")
            + "; on the class path are stores for "
            + String.join(", ", forms)
            + ". Is the module of the store missing (pawl-jdbc, pawl-redis, …)?");
  }

  private static String escaped(String scheme) {
    StringBuilder shown = new StringBuilder();
    scheme
        .chars()
        .forEach(
            c -> {
              if (Character.isISOControl(c)) {
                shown.append("\\u%04x".formatted(c));
              } else {
                shown.append((char) c);
              }
            });
    return shown.toString();
  }

  private static Set<StoreProvider> all() {
    Set<StoreProvider> providers = new LinkedHashSet<>();
    Set<Class<?>> kinds = new LinkedHashSet<>();
    @Nullable ClassLoader context = Thread.currentThread().getContextClassLoader();
    for (ClassLoader loader : new ClassLoader[] {context, Providers.class.getClassLoader()}) {
      for (StoreProvider provider : ServiceLoader.load(StoreProvider.class, loader)) {
        if (kinds.add(provider.getClass())) {
          providers.add(provider);
        }
      }
    }
    return providers;
  }
}
