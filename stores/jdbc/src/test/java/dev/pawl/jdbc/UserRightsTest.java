package dev.pawl.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.Lease;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.PawlException;
import dev.pawl.jdbc.sql.Sql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A user with the rights of the guide on tables that a DBA has made can do everything. */
class UserRightsTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void whoMayReadAndWriteTheTablesCanDoEverything(JdbcStrategy strategy) throws Exception {
    SqlDatabase database = SqlDatabase.POSTGRESQL;
    JdbcOptions options = Databases.newTables().withStrategy(strategy);
    String root = Databases.url(database, directory);
    String user = options.prefix() + "user";
    String url = root.replaceAll("user=[a-z]+", "user=" + user + "&password=s3cret");
    try (Connection dba = Databases.source(root, database, options).getConnection()) {
      Sql.execute(dba, "CREATE ROLE " + user + " LOGIN PASSWORD 's3cret'");
      assertThatThrownBy(() -> JdbcStore.open(url, options).close())
          .isInstanceOf(PawlException.class);
      for (String statement : JdbcSchema.sql(database, options).split(";\n", -1)) {
        if (!statement.isBlank()) {
          Sql.execute(dba, statement);
        }
      }
      String grant = grantOfTheGuide().replace(JdbcOptions.DEFAULT.prefix(), options.prefix());
      Sql.execute(dba, grant.replace(" TO app", " TO " + user));
    }
    useEverything(url, options);
    useEverything(url, options.withCreateSchema(false));
  }

  private static String grantOfTheGuide() throws Exception {
    return Files.readString(Path.of("../../docs/guide/sql.md"))
        .lines()
        .filter(line -> line.startsWith("GRANT "))
        .findFirst()
        .orElseThrow();
  }

  private static void useEverything(String url, JdbcOptions options) throws Exception {
    try (JdbcStore store = JdbcStore.open(url, options);
        Pawl a = pawl(store);
        Pawl b = pawl(store)) {
      boolean queues = options.strategy() == JdbcStrategy.LEASE_RECORD;
      LockOptions plain = LockOptions.DEFAULT.withFair(queues);
      Lease held = a.lock("a", plain).acquire();
      CompletableFuture<Lease> waiting = b.lock("a", plain).acquireAsync(Duration.ofMinutes(1));
      assertThat(a.inspector().find("a")).isPresent();
      held.close();
      waiting.get(1, TimeUnit.MINUTES).close();
      assertThat(store.examine().toCompletableFuture().get(1, TimeUnit.MINUTES))
          .noneMatch(finding -> finding.what().contains("could not be found out"));
      if (queues) {
        a.semaphore("s", 2).acquire().close();
        String job = "job-" + options.createSchema(); // It runs once in a tick.
        assertThat(a.job(job).run(Job.every(Duration.ofMillis(100)), run -> "done").toString())
            .contains("done");
        assertThat(a.inspector().runs(job, 5)).isNotEmpty();
        a.inspector().pauseJob(job, "ann", "a test");
        assertThat(a.inspector().jobControl(job).pause()).isPresent();
        a.inspector().resumeJob(job, "ann", "a test");
        assertThat(a.inspector().journal(10)).isNotEmpty();
      }
      if (options.strategy() != JdbcStrategy.ROW_LOCK) {
        Lease forced = b.lock("forced", plain).acquire();
        assertThat(a.inspector().forceRelease("forced", forced.token(), "ann", "a test")).isTrue();
      }
    }
  }

  private static Pawl pawl(JdbcStore store) {
    return Pawl.builder(store).responseTimeout(Duration.ofMinutes(1)).build();
  }
}
