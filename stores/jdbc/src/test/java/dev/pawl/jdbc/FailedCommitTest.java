package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.LockInfo;
import dev.pawl.PawlException;
import dev.pawl.jdbc.schema.Schema;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.ClaimId;
import dev.pawl.spi.Listing;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * I1: a statement has returned its row, and fails when it commits. A full disk does that; here, so
 * that it happens every time, a constraint that is checked last.
 */
@Tag("safety")
class FailedCommitTest {

  private static final String FORBIDDEN = "forbidden";

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRESQL"})
  void aGrantThatIsNotCommittedIsNone(SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables();
    try (Connection connection = DriverManager.getConnection(url)) {
      createWithLateCheck(connection, database, options);
    }
    String checking = database == SqlDatabase.SQLITE ? url + "?foreign_keys=on" : url;
    try (JdbcStore store = JdbcStore.open(checking, options)) {
      assertThatThrownBy(
              () ->
                  store
                      .acquire(Commands.tryAcquire(FORBIDDEN, new ClaimId("node", 1)))
                      .toCompletableFuture()
                      .join())
          .isInstanceOf(CompletionException.class)
          .hasCauseInstanceOf(PawlException.class);

      assertThat(store.list(Listing.all("", 10)).toCompletableFuture().join())
          .extracting(LockInfo::name)
          .doesNotContain(FORBIDDEN);
    }
  }

  /** The table of the locks, in which no row can be committed: its check is deferred. */
  private static void createWithLateCheck(
      Connection connection, SqlDatabase database, JdbcOptions options) throws SQLException {
    String key = database.dialect().keyBytes();
    Sql.execute(
        connection,
        "CREATE TABLE %s (name %s PRIMARY KEY)"
            .formatted(options.tables().start() + "allowed", key));
    String references =
        "REFERENCES %s (name) DEFERRABLE INITIALLY DEFERRED"
            .formatted(options.tables().start() + "allowed");
    for (String sql : Schema.statements(database.dialect(), options.tables())) {
      boolean locks = sql.contains(options.tables().leases() + " (");
      Sql.execute(
          connection, locks ? sql.replaceFirst("PRIMARY KEY", "PRIMARY KEY " + references) : sql);
    }
  }
}
