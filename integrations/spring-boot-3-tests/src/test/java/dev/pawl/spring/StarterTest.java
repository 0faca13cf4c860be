package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import dev.pawl.Lease;
import dev.pawl.LockEvent;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.spi.PairedStore;
import dev.pawl.spring.boot.PawlAutoConfiguration;
import dev.pawl.testservers.RedisServer;
import dev.pawl.testservers.ZooKeeperServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Which store the application gets, and that it ends before what it stands on. */
class StarterTest {

  @TempDir Path directory;

  private final ApplicationContextRunner runner =
      new ApplicationContextRunner()
          .withConfiguration(AutoConfigurations.of(PawlAutoConfiguration.class));

  private static void assertLocks(Pawl pawl) {
    try (Lease lease = pawl.lock("a").tryAcquire().orElseThrow()) {
      assertThat(lease.isHeld()).isTrue();
    }
  }

  private DataSource database(String file) {
    return new DriverManagerDataSource("jdbc:sqlite:" + directory.resolve(file));
  }

  @Test
  void inATestMemoryNeedsNothingElse() {
    runner
        .withPropertyValues("pawl.store=memory:")
        .run(
            context -> {
              assertThat(context.getBean(Pawl.class).store().describe()).isEqualTo("memory");
              assertLocks(context.getBean(Pawl.class));
            });
  }

  @Test
  void aDataSourceIsTheStore() {
    runner
        .withBean(DataSource.class, () -> database("a.db"))
        .run(context -> assertLocks(context.getBean(Pawl.class)));
  }

  @Test
  void aUrlWins() {
    runner
        .withBean(DataSource.class, () -> database("a.db"))
        .withPropertyValues("pawl.store=sqlite:" + directory.resolve("b.db"))
        .run(
            context -> {
              assertLocks(context.getBean(Pawl.class));
              assertThat(directory.resolve("a.db")).doesNotExist();
              assertThat(directory.resolve("b.db")).exists();
            });
  }

  /** And no database of the name of both. */
  @Test
  void aPairWhosePrimaryIsADatabaseIsAPair() {
    runner
        .withPropertyValues(
            "pawl.store=sqlite:"
                + directory.resolve("primary.db")
                + " | sqlite:"
                + directory.resolve("backup.db"))
        .run(
            context -> {
              assertThat(context.getBean(Pawl.class).store()).isInstanceOf(PairedStore.class);
              assertLocks(context.getBean(Pawl.class));
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class TwoDatabases {
    @Bean
    DataSource orders() {
      return new DriverManagerDataSource("jdbc:sqlite:" + System.getProperty("pawl.test.orders"));
    }

    @Bean
    DataSource reports() {
      return new DriverManagerDataSource("jdbc:sqlite:nowhere/at/all.db");
    }
  }

  @Test
  void ofSeveralCandidatesAPropertyDecides() {
    System.setProperty("pawl.test.orders", directory.resolve("orders.db").toString());
    runner
        .withUserConfiguration(TwoDatabases.class)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageContaining("\"orders\" (DataSource), \"reports\" (DataSource)")
                    .hasMessageContaining("pawl.store-bean=orders"));
    runner
        .withUserConfiguration(TwoDatabases.class)
        .withPropertyValues("pawl.store-bean=orders")
        .run(context -> assertLocks(context.getBean(Pawl.class)));
    runner
        .withUserConfiguration(TwoDatabases.class)
        .withPropertyValues("pawl.store-bean=order")
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("no such bean"));
  }

  @Configuration(proxyBeanMethods = false)
  static class OnePrimary {
    @Bean
    @Primary
    DataSource orders() {
      return new DriverManagerDataSource("jdbc:sqlite:" + System.getProperty("pawl.test.orders"));
    }

    @Bean
    DataSource reports() {
      return new DriverManagerDataSource("jdbc:sqlite:nowhere/at/all.db");
    }
  }

  @Test
  void thePrimaryDataSourceIsMeant() {
    System.setProperty("pawl.test.orders", directory.resolve("primary.db").toString());
    runner
        .withUserConfiguration(OnePrimary.class)
        .run(context -> assertLocks(context.getBean(Pawl.class)));
  }

  @Test
  void withoutAStoreTheMessageSaysWhatToDo() {
    runner.run(
        context ->
            assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("Pawl has no store")
                .hasMessageContaining("pawl.store=memory:"));
  }

  @Test
  void lettuceIsTheStoreAndIsThereWhenTheNodeCloses() {
    try (RedisServer redis = RedisServer.start();
        Pawl other = Pawl.connect(redis.url())) {
      runner
          .withBean(
              LettuceConnectionFactory.class,
              () ->
                  new LettuceConnectionFactory(
                      new RedisStandaloneConfiguration("127.0.0.1", redis.port())))
          .run(
              context -> {
                Pawl pawl = context.getBean(Pawl.class);
                assertLocks(pawl);
                assertThat(pawl.lock("kept").tryAcquire()).isPresent();
                assertThat(other.lock("kept").tryAcquire()).isEmpty();
              });
      // The context has closed: what it held is free at once, and not after a lease.
      assertThat(other.lock("kept").tryAcquire()).isPresent();
    }
  }

  @Test
  void curatorIsTheStore() {
    try (ZooKeeperServer server = ZooKeeperServer.start()) {
      runner
          .withBean(
              CuratorFramework.class,
              () -> {
                CuratorFramework curator =
                    CuratorFrameworkFactory.newClient(server.address(), new RetryOneTime(100));
                curator.start();
                return curator;
              })
          .run(context -> assertLocks(context.getBean(Pawl.class)));
    }
  }

  @Test
  void theNodeClosesBeforeWhatItStandsOn() {
    try (TestDatabase database = new TestDatabase(directory.resolve("order.db"))) {
      runner
          .withBean(TestDatabase.class, () -> database)
          .run(
              context ->
                  assertThat(context.getBean(Pawl.class).lock("kept").tryAcquire()).isPresent());
      assertThat(database.usedAfterClose).isFalse();
      assertThat(database.closed).isTrue();
      try (Pawl other = Pawl.connect("sqlite:" + directory.resolve("order.db"))) {
        assertThat(other.lock("kept").tryAcquire()).isPresent();
      }
    }
  }

  static final class TestDatabase extends DriverManagerDataSource implements AutoCloseable {
    volatile boolean closed;
    volatile boolean usedAfterClose;

    TestDatabase(Path file) {
      super("jdbc:sqlite:" + file);
    }

    @Override
    public java.sql.Connection getConnection() throws java.sql.SQLException {
      usedAfterClose |= closed;
      return super.getConnection();
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  @Test
  void propertiesAreTheDefaults() {
    runner
        .withPropertyValues(
            "pawl.store=memory:",
            "pawl.label=orders-1",
            "pawl.defaults.lease=4s",
            "pawl.defaults.fair=false",
            "pawl.defaults.wait-for=2s",
            "pawl.defaults.at-most-for=5m",
            "pawl.defaults.retry-elsewhere=2")
        .run(
            context -> {
              Pawl pawl = context.getBean(Pawl.class);
              assertThat(pawl.label()).isEqualTo("orders-1");
              assertThat(pawl.lock("a").options())
                  .isEqualTo(LockOptions.DEFAULT.withLease(Duration.ofSeconds(4)).withFair(false));
              PawlDefaults defaults = context.getBean(PawlDefaults.class);
              assertThat(defaults.waitFor()).contains(Duration.ofSeconds(2));
              assertThat(defaults.atMostFor()).contains(Duration.ofMinutes(5));
              assertThat(defaults.atLeastFor()).isEmpty();
              assertThat(defaults.retryElsewhere()).isEqualTo(2);
            });
    runner
        .withPropertyValues("pawl.store=memory:", "spring.application.name=orders")
        .run(
            context ->
                assertThat(context.getBean(Pawl.class).label())
                    .startsWith("orders@")
                    .endsWith(":" + ProcessHandle.current().pid()));
  }

  /** As in Kubernetes, where the host is called by the application too. */
  @Test
  void aLongNameOfAnApplicationIsNoReasonNotToStart() {
    String name = "customer-notification-scheduler-".repeat(4);
    runner
        .withPropertyValues("pawl.store=memory:", "spring.application.name=" + name)
        .run(
            context ->
                assertThat(context.getBean(Pawl.class).label())
                    .startsWith("customer-notification-scheduler-")
                    .endsWith(":" + ProcessHandle.current().pid())
                    .hasSizeLessThanOrEqualTo(100));
  }

  @Test
  void propertiesOfTheDatabase() {
    runner
        .withBean(DataSource.class, () -> database("a.db"))
        .withPropertyValues(
            "pawl.jdbc.prefix=locks_", "pawl.jdbc.strategy=unique-key", "pawl.defaults.fair=false")
        .run(
            context -> {
              assertLocks(context.getBean(Pawl.class));
              assertThat(
                      new org.springframework.jdbc.core.JdbcTemplate(
                              context.getBean(DataSource.class))
                          .queryForList(
                              "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT"
                                  + " LIKE 'sqlite%'",
                              String.class))
                  .isNotEmpty()
                  .allMatch(name -> name.startsWith("locks_"));
            });
    runner
        .withBean(DataSource.class, () -> database("a.db"))
        .withPropertyValues("pawl.jdbc.strategy=magic")
        .run(
            context ->
                assertThat(context).getFailure().rootCause().hasMessageContaining("row-lock"));
  }

  @Test
  void turnedOffThereIsNoNode() {
    runner
        .withPropertyValues("pawl.enabled=false")
        .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Pawl.class));
  }

  static class Listener {
    final BlockingQueue<LockEvent> events = new LinkedBlockingQueue<>();

    @EventListener
    void on(LockEvent.Acquired event) {
      events.add(event);
    }
  }

  @Test
  void eventsAreApplicationEvents() {
    runner
        .withPropertyValues("pawl.store=memory:")
        .withBean(Listener.class)
        .run(
            context -> {
              assertLocks(context.getBean(Pawl.class));
              LockEvent event = context.getBean(Listener.class).events.poll(1, TimeUnit.MINUTES);
              assertThat(event).isNotNull().extracting(LockEvent::name).isEqualTo("a");
            });
  }

  @Test
  void hazelcastIsTheStore() {
    Config config = new Config("starter-test-" + ProcessHandle.current().pid());
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "none");
    config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
    config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
    runner
        .withBean(
            HazelcastInstance.class,
            () -> Hazelcast.newHazelcastInstance(config),
            definition -> definition.setDestroyMethodName("shutdown"))
        .run(context -> assertLocks(context.getBean(Pawl.class)));
  }
}
