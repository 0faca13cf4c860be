package dev.pawl.jdbc;

import dev.pawl.spi.LockStore;
import dev.pawl.spi.StoreProvider;
import java.util.stream.Collectors;

/** Opens {@code sqlite:PATH} and the JDBC URLs of the databases that are known. */
public final class JdbcStoreProvider implements StoreProvider {

  @Override
  public String form() {
    return SqlDatabase.dialects().stream()
        .map(dialect -> dialect.scheme() + "…")
        .collect(Collectors.joining(", ", "sqlite:PATH, ", ""));
  }

  @Override
  public boolean accepts(String url) {
    return url.startsWith("sqlite:") || url.startsWith("jdbc:");
  }

  @Override
  public LockStore open(String url) {
    return JdbcStore.open(url);
  }

  @Override
  public LockStore openExisting(String url) {
    return ExistingStore.open(url);
  }
}
