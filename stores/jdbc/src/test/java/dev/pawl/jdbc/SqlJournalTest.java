package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.JournalEntry;
import dev.pawl.spi.Journal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The journal where others have a hand in its table. */
class SqlJournalTest {

  private final JdbcOptions options = Databases.newTables();
  private String url = "";

  @BeforeEach
  void chooseFile(@TempDir Path directory) {
    url = Databases.url(SqlDatabase.SQLITE, directory);
  }

  /** A node that was deployed before the others reads on. */
  @Test
  void whatALaterVersionHasWrittenIsLeftOut() throws Exception {
    try (JdbcStore store = JdbcStore.open(url, options)) {
      append(store, 1);
      append(store, 2);
      execute("UPDATE %s SET kind = 'NOT_THOUGHT_OF_YET' WHERE token = 2".formatted(table()));

      assertThat(tokens(store)).containsExactly(1L);
      assertThat(store.journal().readAll(10).toCompletableFuture().join()).hasSize(1);
    }
  }

  @Test
  void anEntryIsWrittenAlsoWhereNothingCanBeDeleted() throws Exception {
    int written = Journal.OF_EACH_NAME + 1;
    try (JdbcStore store = JdbcStore.open(url, options)) {
      for (int i = 0; i < written; i++) {
        append(store, i);
      }
    }
    execute(
        "CREATE TRIGGER keep BEFORE DELETE ON %s BEGIN SELECT RAISE(FAIL, 'no'); END"
            .formatted(table()));
    try (JdbcStore store = JdbcStore.open(url, options)) {
      append(store, written);
      assertThat(tokens(store)).startsWith((long) written);
      execute("DROP TRIGGER keep");
    }
    try (JdbcStore store = JdbcStore.open(url, options)) {
      append(store, written + 1);
      assertThat(tokens(store)).as("trimmed by the next").hasSize(Journal.OF_EACH_NAME);
    }
  }

  private static void append(JdbcStore store, long token) {
    store
        .journal()
        .append(JournalEntry.Kind.LEASE_LOST, "name", token, "node", Map.of())
        .toCompletableFuture()
        .join();
  }

  private static List<Long> tokens(JdbcStore store) {
    return store.journal().read("name", 1_000).toCompletableFuture().join().stream()
        .map(JournalEntry::token)
        .toList();
  }

  private String table() {
    return options.tables().journal();
  }

  private void execute(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
