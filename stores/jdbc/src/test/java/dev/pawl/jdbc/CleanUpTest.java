package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.jdbc.connect.Connections;
import dev.pawl.jdbc.connect.UrlDataSource;
import dev.pawl.jdbc.lease.LeaseRecords;
import dev.pawl.jdbc.lease.LeaseTable;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.jdbc.wake.Signals;
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
    UrlDataSource source = Databases.source(Databases.url(database, directory), database, options);
    HikariDataSource pool = source.pool();
    try (Connections connections = Connections.of(source, database.dialect(), pool)) {
      new Schema(connections, database.dialect(), options.tables(), true).check();
      String clock = options.tables().start() + "clock";
      LeaseTable table =
          new LeaseTable(
              database.dialect().withClock("(SELECT x.us FROM " + clock + " x)"),
              options.tables().leases());
      LeaseRecords rows = new LeaseRecords(connections, table, new Signals(), options.retention());
      long start = 1_700_000_000_000_000L;
      sql(connections, "CREATE TABLE " + clock + " (us BIGINT)");
      sql(connections, "INSERT INTO " + clock + " VALUES (" + start + ")");

      // Given up while a copy of its acquire may still be under way (I5).
      rows.cancel(new Command.Cancel("x", new ClaimId("node", 1), true));
      long kept = LockMachine.ENDED_MICROS + options.retention().toNanos() / 1_000;
      sql(connections, "UPDATE " + clock + " SET us = " + (start + kept));
      rows.cleanUp(new byte[0]);
      assertThat(isThere(connections, table)).as("within the minute and the retention").isTrue();

      sql(connections, "UPDATE " + clock + " SET us = " + (start + kept + 1));
      rows.cleanUp(new byte[0]);
      assertThat(isThere(connections, table)).as("after it").isFalse();
    }
  }

  private static boolean isThere(Connections connections, LeaseTable table) {
    return connections.read("test", c -> table.read(c, "x")).exists();
  }

  private static void sql(Connections connections, String sql) {
    connections.write(
        "test",
        c -> {
          Sql.execute(c, sql);
          return true;
        });
  }
}
