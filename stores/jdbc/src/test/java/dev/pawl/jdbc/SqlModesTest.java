package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.pawl.LockInfo;
import dev.pawl.PawlException;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Command;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The modes in which a server of MariaDB's kind reads SQL otherwise than usual. */
class SqlModesTest {

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "MARIADB, ''",
    "MARIADB, ANSI",
    "MARIADB, ORACLE",
    "MARIADB, NO_BACKSLASH_ESCAPES",
    "MARIADB, SIMULTANEOUS_ASSIGNMENT",
    "MYSQL, ''",
    "MYSQL, ANSI",
    "MYSQL, TRADITIONAL",
    "MYSQL, NO_BACKSLASH_ESCAPES",
    "MYSQL, PAD_CHAR_TO_FULL_LENGTH"
  })
  void aGrantHasAllTokensOfItsSpan(SqlDatabase database, String mode) {
    grantsHaveAllTokensOfTheirSpan(Databases.url(database, directory), mode);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "ANSI", "ORACLE", "NO_BACKSLASH_ESCAPES", "SIMULTANEOUS_ASSIGNMENT"})
  void soItHasByMysqlsDriverOnMariaDb(String mode) {
    grantsHaveAllTokensOfTheirSpan(Databases.mysqlDriverOnMariaDb(), mode);
  }

  private static void grantsHaveAllTokensOfTheirSpan(String url, String mode) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setConnectionInitSql("SET SESSION sql_mode = '" + mode + "'");
    try (HikariDataSource pool = new HikariDataSource(config);
        JdbcStore store = JdbcStore.open(pool, Databases.newTables())) {
      long last = 0;
      // The first one inserts the row, the others update it.
      for (int i = 0; i < 3; i++) {
        Command.Acquire claim =
            Commands.acquire("it's \\ \"x\"", new ClaimId("node", i), 1_000_000, "app", "main");
        AcquireReply reply = store.acquire(claim).toCompletableFuture().join();
        Command.Release release = Commands.release(claim, reply);
        assertThat(release.usedToken()).isGreaterThan(last);
        LockInfo info = store.find(claim.name()).toCompletableFuture().join().orElseThrow();
        last = release.usedToken() + claim.span() - 1;
        assertThat(info.token()).isEqualTo(last);
        Command.Release all =
            new Command.Release(claim.name(), claim.claim(), last, release.mark(), false);
        store.release(all).toCompletableFuture().join();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneThatMakesNullOfWhatIsEmptyIsRefused(boolean byMysqlsDriver) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(byMysqlsDriver ? Databases.mysqlDriverOnMariaDb() : Databases.mariaDb());
    config.setConnectionInitSql("SET SESSION sql_mode = 'ANSI,EMPTY_STRING_IS_NULL'");
    try (HikariDataSource pool = new HikariDataSource(config)) {
      assertThatThrownBy(() -> JdbcStore.open(pool, Databases.newTables()).close())
          .isInstanceOf(PawlException.class)
          .hasMessageContaining("EMPTY_STRING_IS_NULL")
          .hasMessageContaining("take it out of sql_mode");
    }
  }
}
