package dev.pawl.spring.boot;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.Store;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** What the node stands on: a URL, a store of the application, or one that was opened for it. */
final class Foundation implements AutoCloseable {

  /** The name of the bean, which is destroyed after the node and before what it stands on. */
  static final String BEAN = "pawlFoundation";

  private final Pawl.Builder builder;
  private final @Nullable Store own;

  private Foundation(Pawl.Builder builder, @Nullable Store own) {
    this.builder = builder;
    this.own = own;
  }

  static Foundation of(
      PawlProperties properties,
      ConfigurableListableBeanFactory beans,
      @Nullable Store given,
      List<StoreCandidates> kinds) {
    try {
      return open(properties, beans, given, kinds);
    } catch (PawlException | IllegalArgumentException e) {
      throw StoreChoiceException.notOpened(e);
    }
  }

  private static Foundation open(
      PawlProperties properties,
      ConfigurableListableBeanFactory beans,
      @Nullable Store given,
      List<StoreCandidates> kinds) {
    String url = properties.store() == null ? "" : properties.store().strip();
    if (isJdbc(url)) {
      return of(JdbcSettings.open(url, properties.jdbc()));
    }
    if (!url.isEmpty()) {
      return new Foundation(Pawl.builder(url), null);
    }
    if (given != null && properties.storeBean() == null) {
      return new Foundation(Pawl.builder(given), null);
    }
    return of(new ChosenStore(beans, kinds).open(properties.storeBean(), BEAN));
  }

  private static Foundation of(Store opened) {
    return new Foundation(Pawl.builder(opened), opened);
  }

  /** Without pawl-jdbc, the message about the URL is that of core; and so are two URLs. */
  private static boolean isJdbc(String url) {
    String lower = url.toLowerCase(Locale.ROOT);
    return (lower.startsWith("jdbc:") || lower.startsWith("sqlite:"))
        && !url.contains(" | ")
        && ClassUtils.isPresent("dev.pawl.jdbc.JdbcStore", Foundation.class.getClassLoader());
  }

  Pawl.Builder builder() {
    return builder;
  }

  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
  }
}
