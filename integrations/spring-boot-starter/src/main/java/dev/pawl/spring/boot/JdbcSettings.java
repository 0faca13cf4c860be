package dev.pawl.spring.boot;

import dev.pawl.Store;
import dev.pawl.jdbc.JdbcOptions;
import dev.pawl.jdbc.JdbcStore;
import dev.pawl.jdbc.JdbcStrategy;
import java.util.Locale;

/** The properties {@code pawl.jdbc.*} as options of the store. */
final class JdbcSettings {

  private JdbcSettings() {}

  static Store open(String url, PawlProperties.Jdbc jdbc) {
    return JdbcStore.open(url, of(jdbc));
  }

  static JdbcOptions of(PawlProperties.Jdbc jdbc) {
    JdbcOptions options = JdbcOptions.DEFAULT;
    if (jdbc.strategy() != null) {
      options = options.withStrategy(strategy(jdbc.strategy()));
    }
    if (jdbc.schema() != null) {
      options = options.withSchema(jdbc.schema());
    }
    if (jdbc.prefix() != null) {
      options = options.withPrefix(jdbc.prefix());
    }
    if (jdbc.createSchema() != null) {
      options = options.withCreateSchema(jdbc.createSchema());
    }
    if (jdbc.retention() != null) {
      options = options.withRetention(jdbc.retention());
    }
    if (jdbc.poolSize() != null) {
      options = options.withPoolSize(jdbc.poolSize());
    }
    return jdbc.timeout() == null ? options : options.withTimeout(jdbc.timeout());
  }

  private static JdbcStrategy strategy(String text) {
    String name = text.toUpperCase(Locale.ROOT).replace('-', '_');
    for (JdbcStrategy each : JdbcStrategy.values()) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "pawl.jdbc.strategy is \"" + text + "\"; allowed are lease-record, unique-key, row-lock");
  }
}
