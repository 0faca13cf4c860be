package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.pawl.OutcomeUnknownException;
import dev.pawl.StoreUnavailableException;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.AcquireReply;
import dev.pawl.spi.ClaimId;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A SQLite file that may not grow any further, and one on a disk that is full. */
@Tag("safety")
class FullDiskTest {

  private static final int NAMES = 200;

  @TempDir Path directory;

  @Test
  void withoutRoomInTheFileNobodyHoldsAndItGoesOnWhenThereIsRoomAgain() throws Exception {
    String url = Databases.url(SqlDatabase.SQLITE, directory) + "?max_page_count=120";
    try (JdbcStore one = JdbcStore.open(url);
        JdbcStore other = JdbcStore.open(url);
        Connection ballast = DriverManager.getConnection(url)) {
      fill(ballast);
      List<Throwable> failures = neverTwoHolders(one, other);
      assertThat(failures)
          .as("for want of room")
          .isNotEmpty()
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isInstanceOf(StoreUnavailableException.class)
                      .hasMessageContaining("full")
                      .hasMessageContaining("free some space on the disk"));
      Sql.execute(ballast, "DROP TABLE ballast");
      everyNameHasItsHolder(one, other);
    }
  }

  /** Here a statement may have returned its row when its commit finds no room. */
  @Test
  void withoutRoomOnTheDiskNobodyHoldsAndItGoesOnWhenThereIsRoomAgain() throws Exception {
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", directory.toString()) == 0,
        "a small disk can be mounted by root only");
    try {
      String url = Databases.url(SqlDatabase.SQLITE, directory);
      try (JdbcStore one = JdbcStore.open(url);
          JdbcStore other = JdbcStore.open(url)) {
        Path ballast = directory.resolve("ballast");
        fill(ballast);
        assertThat(neverTwoHolders(one, other))
            .as("for want of room")
            .isNotEmpty()
            .allSatisfy(
                e ->
                    assertThat(e)
                        .isInstanceOfAny(
                            StoreUnavailableException.class, OutcomeUnknownException.class));
        Files.delete(ballast);
        everyNameHasItsHolder(one, other);
      }
    } finally {
      run("umount", directory.toString());
    }
  }

  /** I11: it passes, and whoever waits is not to be told that the store is broken. */
  @ParameterizedTest
  @EnumSource(names = {"MARIADB", "MYSQL"})
  void withoutRoomInATableOfMysqlsKindItIsAnOutageAndGoesOnWhenThereIsRoomAgain(
      SqlDatabase database) throws Exception {
    String url = Databases.url(database, directory);
    JdbcOptions options = Databases.newTables();
    String table = "ALTER TABLE " + options.tables().leases();
    try (JdbcStore one = JdbcStore.open(url, options);
        JdbcStore other = JdbcStore.open(url, options);
        Connection connection = DriverManager.getConnection(url)) {
      // A table that may have 64 kB.
      Sql.execute(connection, table + " ENGINE = MyISAM, MAX_ROWS = 1, AVG_ROW_LENGTH = 1");
      List<Throwable> failures = new ArrayList<>();
      for (int i = 0; failures.isEmpty(); i++) {
        assertThat(i).as("names without a failure").isLessThan(5_000);
        granted("full" + i, one, other, failures);
      }
      assertThat(failures)
          .allSatisfy(
              e ->
                  assertThat(e)
                      .isInstanceOf(StoreUnavailableException.class)
                      .hasMessageContaining("full"));
      Sql.execute(connection, table + " ENGINE = InnoDB");
      everyNameHasItsHolder(one, other);
    }
  }

  private static List<Throwable> neverTwoHolders(JdbcStore one, JdbcStore other) {
    List<Throwable> failures = new ArrayList<>();
    for (int i = 0; i < NAMES; i++) {
      List<Long> tokens = granted("full" + i, one, other, failures);
      assertThat(tokens).as("holders of a name").hasSizeLessThanOrEqualTo(1);
      if (!tokens.isEmpty()) {
        assertThat(other.find("full" + i).toCompletableFuture().join())
            .as("what was granted is in the file")
            .isPresent();
      }
    }
    return failures;
  }

  private static void everyNameHasItsHolder(JdbcStore one, JdbcStore other) {
    for (int i = 0; i < NAMES; i++) {
      assertThat(granted("free" + i, one, other, new ArrayList<>())).hasSize(1);
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }

  private static void fill(Path file) throws IOException {
    assertThatThrownBy(
            () -> {
              try (OutputStream out = Files.newOutputStream(file)) {
                while (true) {
                  out.write(new byte[512]);
                }
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left");
  }

  /** Fills what room there is, down to the last page. */
  private static void fill(Connection connection) throws SQLException {
    Sql.execute(connection, "CREATE TABLE ballast (x BLOB)");
    for (int size = 65_536; size >= 16; size /= 2) {
      String sql = "INSERT INTO ballast VALUES (zeroblob(" + size + "))";
      assertThatThrownBy(
              () -> {
                while (true) {
                  Sql.execute(connection, sql);
                }
              })
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("full");
    }
  }

  /** Lets both ask for a name; returns the tokens they were granted. */
  private static List<Long> granted(
      String name, JdbcStore one, JdbcStore other, List<Throwable> failures) {
    List<Long> tokens = new ArrayList<>();
    for (JdbcStore store : List.of(one, other)) {
      ClaimId claim = new ClaimId(store == one ? "one" : "other", 1);
      try {
        AcquireReply reply =
            store.acquire(Commands.tryAcquire(name, claim)).toCompletableFuture().join();
        if (reply instanceof AcquireReply.Granted granted) {
          tokens.add(granted.grant().token());
        }
      } catch (CompletionException e) {
        failures.add(e.getCause());
      }
    }
    return tokens;
  }
}
