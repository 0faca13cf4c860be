package dev.pawl.spi;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The providers of stores that are on the class path. */
final class Providers {

  /** What stands between the URLs of stores that are used together. */
  private static final String BETWEEN = " | ";

  /** The schemes there are, and the module that has each. */
  private static final Map<String, String> MODULES =
      Map.of(
          "sqlite", "pawl-jdbc",
          "jdbc", "pawl-jdbc",
          "redis", "pawl-redis",
          "rediss", "pawl-redis",
          "redis-sentinel", "pawl-redis",
          "redis-cluster", "pawl-redis",
          "redlock", "pawl-redis",
          "zk", "pawl-zookeeper",
          "hazelcast", "pawl-hazelcast",
          "memory", "pawl-core");

  /** What other software writes, and what it is here. */
  private static final Map<String, String> ELSEWHERE =
      Map.of(
          "postgres", "jdbc:postgresql",
          "postgresql", "jdbc:postgresql",
          "mysql", "jdbc:mysql",
          "mariadb", "jdbc:mariadb",
          "h2", "jdbc:h2",
          "zookeeper", "zk",
          "hz", "hazelcast",
          "file", "sqlite",
          "redis+sentinel", "redis-sentinel",
          "redis+cluster", "redis-cluster");

  private Providers() {}

  static StoreProvider forUrl(String url) {
    boolean combined = url.contains(BETWEEN);
    if (!combined) {
      refusePairWithoutSpaces(url);
    }
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
    throw new IllegalArgumentException(refusal(url, forms));
  }

  /** Returns what to say of a URL that none of these forms is of. */
  static String refusal(String url, List<String> forms) {
    return "no store opens " + described(url) + hint(scheme(url), forms) + String.join(", ", forms);
  }

  /** Refuses a pair that would be taken for one URL. */
  private static void refusePairWithoutSpaces(String url) {
    int bar = url.indexOf('|');
    if (bar < 0) {
      return;
    }
    String behind = url.substring(bar + 1).strip();
    if (all().stream().anyMatch(each -> !each.combines() && each.accepts(behind))) {
      throw new IllegalArgumentException(
          "a primary and its backup are written with a space on each side of the bar:"
              + " PRIMARY | BACKUP");
    }
  }

  /** Returns what may be shown of a URL: what follows the scheme may be a secret. */
  private static String described(String url) {
    int colon = url.indexOf(':');
    return colon < 0
        ? "a URL without a scheme"
        : "\"" + escaped(url.substring(0, colon + 1)) + "\" URLs";
  }

  private static String scheme(String url) {
    return url.substring(0, Math.max(0, url.indexOf(':')));
  }

  private static String hint(String scheme, List<String> forms) {
    @Nullable String module = MODULES.get(scheme);
    if (module != null && !isThere(module, forms)) {
      return ": add the module " + module + "; on the class path are stores for ";
    }
    @Nullable String meant = ELSEWHERE.get(scheme);
    if (meant == null && module == null) {
      meant = KnownWords.nearest(scheme, MODULES.keySet()).orElse(null);
    }
    return meant == null
        ? "; there are stores for "
        : "; did you mean " + meant + ":? There are stores for ";
  }

  private static boolean isThere(String module, List<String> forms) {
    String all = String.join(" ", forms);
    return MODULES.entrySet().stream()
        .anyMatch(each -> each.getValue().equals(module) && all.contains(each.getKey() + ":"));
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
