package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.nio.file.Path;
import java.sql.Connection;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Connections that were made while the server's transactions were read-only. */
class ReadOnlyTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
    "MARIADB, SET SESSION TRANSACTION READ ONLY",
    "MYSQL, SET SESSION TRANSACTION READ ONLY"
  })
  void areGivenUpForOthers(SqlDatabase database, String readOnly) throws Exception {
    String url = Databases.url(database, directory);
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(pool, Databases.newTables())) {
      try (Connection only = pool.getConnection()) {
        Sql.execute(only, readOnly);
      }
      Throwable failure =
          catchThrowable(
              () ->
                  store
                      .acquire(Commands.acquire("x", new ClaimId("mine", 1)))
                      .toCompletableFuture()
                      .join());
      assertThat(failure.getCause()).isInstanceOf(StoreUnavailableException.class);
      assertThat(
              store
                  .acquire(Commands.acquire("x", new ClaimId("mine", 2)))
                  .toCompletableFuture()
                  .join())
          .isInstanceOf(AcquireReply.Granted.class);
    }
  }
}
