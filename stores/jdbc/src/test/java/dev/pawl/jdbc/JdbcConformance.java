package dev.pawl.jdbc;

import dev.pawl.jdbc.lease.LeaseTable;
import dev.pawl.machine.LockState;
import dev.pawl.spi.Listing;
import dev.pawl.spi.LockStore;
import dev.pawl.testkit.StoreConformance;
import java.sql.Connection;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The suite on a database: one set of tables for each class, rows forgotten after a second. */
abstract class JdbcConformance extends StoreConformance {

  private static final Map<Class<?>, String> PREFIXES = new ConcurrentHashMap<>();

  abstract String url() throws Exception;

  JdbcStrategy strategy() {
    return JdbcStrategy.LEASE_RECORD;
  }

  private JdbcOptions options() {
    return JdbcOptions.DEFAULT
        .withStrategy(strategy())
        .withPrefix(PREFIXES.computeIfAbsent(getClass(), c -> Databases.prefix()))
        .withRetention(Duration.ofSeconds(1))
        .withTimeout(Databases.PATIENCE)
        .withPoolSize(4);
  }

  /** A database on a busy machine takes its time to make the connection that listens. */
  @Override
  protected Duration patience() {
    return Duration.ofSeconds(10);
  }

  @Override
  protected LockStore open() throws Exception {
    return JdbcStore.open(url(), options());
  }

  @Override
  protected long leftovers(LockStore store, String prefix) {
    LeaseTable table =
        new LeaseTable(SqlDatabase.dialect(uncheckedUrl()), options().tables().leases());
    if (strategy() == JdbcStrategy.ROW_LOCK) {
      return super.leftovers(store, prefix);
    }
    try (Connection connection = DriverManager.getConnection(url())) {
      return table.list(connection, Listing.all(prefix, 1_000), Optional.empty()).stream()
          .filter(each -> !isKeptForLateCopies(each.record().state()))
          .count();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  /** A claim that was given up unanswered is remembered for a minute, and nothing but that. */
  private static boolean isKeptForLateCopies(LockState state) {
    return state.holders().isEmpty() && state.queue().isEmpty() && !state.ended().isEmpty();
  }

  private String uncheckedUrl() {
    try {
      return url();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
