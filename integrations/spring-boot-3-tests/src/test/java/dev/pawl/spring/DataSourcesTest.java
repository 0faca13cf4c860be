package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.jdbc.JdbcFence;
import dev.pawl.jdbc.JdbcOptions;
import dev.pawl.jdbc.JdbcSchema;
import dev.pawl.jdbc.SqlDatabase;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What applications have in the place of a plain {@code DataSource}, and around it. */
class DataSourcesTest {

  @TempDir static Path directory;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PawlAutoConfiguration.class));

  private static DataSource database(String file) {
    return new DriverManagerDataSource("jdbc:sqlite:" + directory.resolve(file));
  }

  /** The tenant of the thread, or the replica of a transaction that only reads. */
  static class ByThread extends AbstractRoutingDataSource {
    @Override
    protected Object determineCurrentLookupKey() {
      return Thread.currentThread().getName();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Routed {
    @Bean
    DataSource master() {
      return database("master.db");
    }

    @Bean
    @Primary
    DataSource routed(DataSource master) {
      ByThread routed = new ByThread();
      routed.setTargetDataSources(Map.of("main", master));
      routed.setDefaultTargetDataSource(master);
      routed.afterPropertiesSet();
      return new LazyConnectionDataSourceProxy(routed);
    }
  }

  @Test
  void oneThatChoosesADatabaseByTheThreadIsRefusedWithWhatToDo() {
    runner
        .withUserConfiguration(Routed.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("chooses a database for each thread")
                    .hasMessageContaining("pawl.store-bean"));
    runner
        .withUserConfiguration(Routed.class)
        .withPropertyValues("pawl.store-bean=master")
        .run(context -> assertThat(context.getBean(Pawl.class).lock("a").tryLock()).isTrue());
  }

  /** The store would commit the transaction in which a lock is taken. */
  @Test
  void oneThatJoinsTransactionsIsNotJoinedByTheStore() {
    new JdbcTemplate(database("joined.db")).execute("CREATE TABLE paid (id INTEGER)");
    runner
        .withBean(
            DataSource.class, () -> new TransactionAwareDataSourceProxy(database("joined.db")))
        .run(
            context -> {
              DataSource joining = context.getBean(DataSource.class);
              Pawl pawl = context.getBean(Pawl.class);
              TransactionTemplate transactions =
                  new TransactionTemplate(new JdbcTransactionManager(joining));
              transactions.executeWithoutResult(
                  transaction -> {
                    assertThat(pawl.lock("a").tryLock()).isTrue();
                    new JdbcTemplate(joining).update("INSERT INTO paid VALUES (1)");
                    pawl.inspector().find("a");
                    transaction.setRollbackOnly();
                  });
              assertThat(new JdbcTemplate(joining).queryForList("SELECT * FROM paid")).isEmpty();
            });
  }

  @EnableAutoConfiguration
  static class Migrated {}

  /** As by Flyway or Liquibase, which refuse a schema that has tables before they come. */
  @Test
  void theStoreIsOpenedAfterTheScriptsOfTheDatabase() throws IOException {
    Path script = directory.resolve("schema.sql");
    Files.writeString(script, JdbcSchema.sql(SqlDatabase.SQLITE, JdbcOptions.DEFAULT));
    new ApplicationContextRunner()
        .withUserConfiguration(Migrated.class)
        .withPropertyValues(
            "spring.datasource.url=jdbc:sqlite:" + directory.resolve("migrated.db"),
            "spring.sql.init.mode=always",
            "spring.sql.init.schema-locations=file:" + script,
            "pawl.jdbc.create-schema=false",
            "spring.autoconfigure.exclude="
                + "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration,"
                + "org.springframework.boot.autoconfigure.data.redis.RedisReactiveAutoConfiguration,"
                + "org.springframework.boot.autoconfigure.hazelcast.HazelcastAutoConfiguration,"
                + "org.springframework.boot.autoconfigure.quartz.QuartzAutoConfiguration,"
                + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                + "org.springframework.boot.data.redis.autoconfigure.DataRedisReactiveAutoConfiguration,"
                + "org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration,"
                + "org.springframework.boot.quartz.autoconfigure.QuartzAutoConfiguration")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThat(context.getBean(Pawl.class).lock("a").tryLock()).isTrue();
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoAndAFence {
    @Bean
    DataSource orders() {
      return database("orders.db");
    }

    @Bean
    DataSource reports() {
      return database("reports.db");
    }

    @Bean
    JdbcFence fence() {
      return JdbcFence.of(SqlDatabase.SQLITE, "fence");
    }
  }

  @Test
  void aFenceThatCannotTellItsDatabaseIsRefusedAtTheStart() {
    runner
        .withUserConfiguration(TwoAndAFence.class)
        .withPropertyValues("pawl.store=memory:")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining("needs one DataSource; there are orders, reports")
                    .hasMessageContaining("@Primary"));
  }
}
