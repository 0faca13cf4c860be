package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.jdbc.dialect.ServerTraits;
import dev.pawl.jdbc.dialect.SqliteFile;
import dev.pawl.jdbc.sql.Sql;
import dev.pawl.spi.Finding;
import dev.pawl.spi.Finding.Level;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteDataSource;

/** What {@code examine} says about real servers; those of the tests do without durability. */
class JdbcExaminationTest {

  @TempDir Path directory;

  private static List<Finding> examine(String url, JdbcOptions options) {
    try (JdbcStore store = JdbcStore.open(url, options)) {
      return examine(store);
    }
  }

  private static List<Finding> examine(JdbcStore store) {
    return store.examine().toCompletableFuture().join();
  }

  private static JdbcOptions newTables() {
    return Databases.newTables();
  }

  private static Finding about(List<Finding> findings, String what) {
    return findings.stream()
        .filter(each -> each.what().contains(what))
        .findFirst()
        .orElseThrow(() -> new AssertionError("nothing about " + what + " in " + findings));
  }

  @ParameterizedTest
  @EnumSource
  void everyDatabaseHasItsTablesAndSaysWhatToDo(SqlDatabase database) {
    JdbcOptions options = newTables();
    List<Finding> findings = examine(Databases.url(database, directory), options);
    assertThat(about(findings, options.tables().version()).level()).isEqualTo(Level.FINE);
    assertThat(about(findings, "lease-record").level()).isEqualTo(Level.FINE);
    assertThat(findings)
        .allSatisfy(each -> assertThat(each.what()).isNotEmpty())
        .filteredOn(each -> each.level() != Level.FINE)
        .allSatisfy(each -> assertThat(each.why()).isNotEmpty())
        .allSatisfy(each -> assertThat(each.remedy()).isNotEmpty());
  }

  @Test
  void commitsThatDoNotReachTheDiskAreAWarning() {
    List<Finding> postgres = examine(Databases.postgres(), newTables());
    assertThat(about(postgres, "fsync is off").level()).isEqualTo(Level.WARNING);
    assertThat(about(postgres, "synchronous_commit is on").level()).isEqualTo(Level.FINE);
    List<Finding> lazy =
        examine(Databases.postgres() + "&options=-c%20synchronous_commit=off", newTables());
    assertThat(about(lazy, "synchronous_commit is off").remedy()).contains("=on");

    flushAtCommitIsAWarning(Databases.mariaDb());
    flushAtCommitIsAWarning(Databases.mysqlDriverOnMariaDb());
  }

  @Test
  void soTheyAreOnMysql() {
    flushAtCommitIsAWarning(Databases.mysql());
  }

  private static void flushAtCommitIsAWarning(String url) {
    Finding flush = about(examine(url, newTables()), "innodb_flush_log_at_trx_commit is 0");
    assertThat(flush.level()).isEqualTo(Level.WARNING);
    assertThat(flush.remedy()).contains("innodb_flush_log_at_trx_commit=1");
  }

  @Test
  void sqliteIsAsTheUrlMakesItAndADataSourceMayNotBe() {
    List<Finding> good = examine(Databases.url(SqlDatabase.SQLITE, directory), newTables());
    assertThat(good).allMatch(each -> each.level() == Level.FINE);
    assertThat(about(good, "the file is on ").what()).doesNotContain("unknown");

    SQLiteDataSource bare = new SQLiteDataSource();
    bare.setUrl("jdbc:sqlite:" + directory.resolve("bare.db"));
    bare.setBusyTimeout(10);
    bare.setSynchronous("OFF");
    try (JdbcStore store = JdbcStore.open(bare, newTables())) {
      List<Finding> findings = examine(store);
      assertThat(about(findings, "journal_mode is delete").level()).isEqualTo(Level.WARNING);
      assertThat(about(findings, "busy_timeout is 10 ms").level()).isEqualTo(Level.WARNING);
      assertThat(about(findings, "synchronous is OFF").level()).isEqualTo(Level.WARNING);
    }
  }

  @Test
  void h2InMemoryIsUnsafeAndWithADelayAWarning() {
    assertThat(about(examine(Databases.h2(), newTables()), "in memory").level())
        .isEqualTo(Level.UNSAFE);

    String file = "jdbc:h2:" + directory.resolve("locks");
    assertThat(about(examine(file, newTables()), "WRITE_DELAY is 500").level())
        .isEqualTo(Level.WARNING);
    assertThat(about(examine(file + ";WRITE_DELAY=0", newTables()), "WRITE_DELAY").level())
        .isEqualTo(Level.FINE);

    assertThatThrownBy(() -> JdbcStore.open(file + ";FILE_LOCK=NO"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("FILE_LOCK");
  }

  @Test
  void aStrategySaysWhatItDoesNotDo() {
    String url = Databases.postgres();
    assertThat(
            about(
                examine(url, newTables().withStrategy(JdbcStrategy.UNIQUE_KEY)),
                "strategy unique-key"))
        .returns(Level.WARNING, Finding::level);
    assertThat(
            about(
                examine(url, newTables().withStrategy(JdbcStrategy.ROW_LOCK)), "strategy row-lock"))
        .returns(Level.WARNING, Finding::level);
  }

  @Test
  void tablesThatAnotherVersionTookOverMeanwhileAreUnsafe() throws Exception {
    JdbcOptions options = newTables();
    try (JdbcStore store = JdbcStore.open(Databases.postgres(), options);
        Connection connection = DriverManager.getConnection(Databases.postgres())) {
      Sql.execute(connection, "UPDATE " + options.tables().version() + " SET version = 7");
      assertThat(about(examine(store), "version 7").level()).isEqualTo(Level.UNSAFE);
      Sql.execute(connection, "DROP TABLE " + options.tables().version());
      assertThat(about(examine(store), "is not there").level()).isEqualTo(Level.UNSAFE);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "nfs4, true",
    "cifs, true",
    "smb3, true",
    "9p, true",
    "fuse.sshfs, true",
    "fuse.glusterfs, true",
    "ext4, false",
    "xfs, false",
    "overlay, false",
    "fuseblk, false",
    "NTFS, false",
    "'', false"
  })
  void aNetworkFileSystemIsUnsafe(String type, boolean remote) {
    assertThat(new SqliteFile(type).isRemote()).isEqualTo(remote);
    List<Finding> limits =
        new ServerTraits(SqlDatabase.SQLITE.dialect(), false, false, false, remote ? type : "")
            .limits();
    assertThat(limits).hasSize(remote ? 1 : 0).allMatch(each -> each.level() == Level.UNSAFE);
    assertThat(limits).allMatch(each -> each.what().contains(type));
  }
}
