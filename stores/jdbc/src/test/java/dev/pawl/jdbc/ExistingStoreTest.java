package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Lease;
import dev.pawl.LockInfo;
import dev.pawl.Pawl;
import dev.pawl.UnsupportedByStoreException;
import dev.pawl.spi.Finding;
import dev.pawl.spi.LockStore;
import dev.pawl.testservers.PostgresServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever looks at a store creates nothing. */
class ExistingStoreTest {

  @TempDir Path directory;

  @Test
  void aSqliteFileThatIsNotThereIsNotCreated() throws Exception {
    Path file = directory.resolve("none/locks.db");
    for (String url : List.of("sqlite:" + file, "jdbc:sqlite:file:" + file + "?cache=private")) {
      try (Pawl pawl = Pawl.builder(url).existingStore().build()) {
        assertEmpty(pawl);
        assertThat(findings(pawl)).extracting(Finding::what).anyMatch(what -> what.contains("no"));
      }
    }
    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void noFileOfH2IsCreated() throws Exception {
    for (String form : List.of("jdbc:h2:", "jdbc:h2:file:")) {
      String url = form + directory.resolve("none") + ";USER=sa";
      try (Pawl pawl = Pawl.builder(url).existingStore().build()) {
        assertEmpty(pawl);
      }
    }
    try (var files = Files.list(directory)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void anotherProgramsSqliteFileStaysAsItIs() throws Exception {
    Path file = directory.resolve("theirs.db");
    try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE theirs (x INTEGER)");
    }
    byte[] before = Files.readAllBytes(file);

    try (Pawl pawl = Pawl.builder("sqlite:" + file).existingStore().build()) {
      assertEmpty(pawl);
    }

    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(file);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"POSTGRESQL", "MARIADB", "H2"})
  void noTableIsCreated(SqlDatabase database) throws Exception {
    String plain = Databases.url(database, directory);
    String prefix = Databases.prefix();
    try (Pawl pawl = existing(with(plain, prefix))) {
      assertEmpty(pawl);
      assertThat(findings(pawl))
          .filteredOn(each -> each.what().contains(prefix + "schema yet"))
          .singleElement()
          .returns(Finding.Level.FINE, Finding::level);
    }
    try (Connection connection = DriverManager.getConnection(plain);
        ResultSet tables =
            connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
      while (tables.next()) {
        assertThat(tables.getString("TABLE_NAME")).doesNotStartWithIgnoringCase(prefix);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SQLITE", "POSTGRESQL", "MARIADB"})
  void whatIsThereIsSeenAndCanBeReleased(SqlDatabase database) throws Exception {
    String url = with(Databases.url(database, directory), Databases.prefix());
    try (Pawl holder = Pawl.builder(url).responseTimeout(Databases.PATIENCE).build();
        Pawl looking = existing(url)) {
      Lease lease = holder.lock("held").acquire();
      assertThat(looking.inspector().listInUse("", 10))
          .extracting(LockInfo::name)
          .containsExactly("held");
      assertThat(looking.inspector().forceRelease("held", lease.token(), "me", "a test")).isTrue();
      assertThat(looking.inspector().journal("held", 1)).hasSize(1);
    }
  }

  @Test
  void aReplicaIsExaminedWithAndWithoutTables() throws Exception {
    try (PostgresServer primary = PostgresServer.start("fsync=off");
        PostgresServer standby = primary.startStandby();
        Pawl pawl = existing(standby.url() + "&pawl.timeout=30s")) {
      assertThat(findings(pawl))
          .filteredOn(each -> each.what().contains("read replica"))
          .singleElement()
          .returns(Finding.Level.UNSAFE, Finding::level);
    }
  }

  private static Pawl existing(String url) {
    return Pawl.builder(url).existingStore().responseTimeout(Databases.PATIENCE).build();
  }

  private static String with(String url, String prefix) {
    String separator = url.startsWith("jdbc:h2:") ? ";" : url.contains("?") ? "&" : "?";
    return url
        + separator
        + "pawl.timeout=30s"
        + separator.replace('?', '&')
        + "pawl.prefix="
        + prefix;
  }

  private static void assertEmpty(Pawl pawl) {
    assertThat(pawl.inspector().list("", 10)).isEmpty();
    assertThat(pawl.inspector().listInUse("", 10)).isEmpty();
    assertThat(pawl.inspector().find("x")).isEmpty();
    assertThat(pawl.inspector().journal(10)).isEmpty();
    assertThat(((LockStore) pawl.store()).nowMicros().toCompletableFuture().join()).isPositive();
    assertThatThrownBy(() -> pawl.lock("x").tryAcquire())
        .isInstanceOf(UnsupportedByStoreException.class)
        .hasMessageContaining("not created yet");
  }

  private static List<Finding> findings(Pawl pawl) {
    return ((LockStore) pawl.store()).examine().toCompletableFuture().join();
  }
}
