package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.machine.LockMachine;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** I10: how long a row stays when nobody uses its name, by a clock that the test sets. */
class CleanUpTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void aRowThatOnlyRemembersAnEndedClaimGoesAfterThatMinuteAndTheRetention(SqlDatabase database) {
    JdbcOptions options =
        JdbcOptions.DEFAULT
            .withPrefix(Databases.prefix())
            .withPoolSize(1)
            .withTimeout(Duration.ofSeconds(30));
    UrlDataSource source = UrlDataSource.of(Databases.url(database, directory), database, options);
    HikariDataSource pool = source.pool();
    try (Connections connections =
        new Connections(pool, source::getConnection, pool, "test", Databases.PATIENCE)) {
      JdbcSchema.check(connections, database, options);
      String clock = options.table("clock");
      JdbcProtocol protocol =
          JdbcProtocol.of(database, options, "(SELECT x.us FROM " + clock + " x)");
      LeaseRows rows = new LeaseRows(connections, protocol, new JdbcSignals(), options);
      long start = 1_700_000_000_000_000L;
      sql(connections, "CREATE TABLE " + clock + " (us BIGINT)");
      sql(connections, "INSERT INTO " + clock + " VALUES (" + start + ")");

      // Given up while a copy of its acquire may still be under way (I5).
      rows.cancel(new Command.Cancel("x", new ClaimId("node", 1), true));
      long kept = LockMachine.ENDED_MICROS + options.retention().toNanos() / 1_000;
      sql(connections, "UPDATE " + clock + " SET us = " + (start + kept));
      rows.cleanUp(new byte[0]);
      assertThat(isThere(connections, protocol)).as("within the minute and the retention").isTrue();

      sql(connections, "UPDATE " + clock + " SET us = " + (start + kept + 1));
      rows.cleanUp(new byte[0]);
      assertThat(isThere(connections, protocol)).as("after it").isFalse();
    }
  }

  private static boolean isThere(Connections connections, JdbcProtocol protocol) {
    return connections.read("test", c -> protocol.rows.read(c, "x")).exists();
  }

  private static void sql(Connections connections, String sql) {
    connections.write(
        "test",
        c -> {
          JdbcProtocol.execute(c, sql);
          return true;
        });
  }
}
