package dev.pawl.quartz;

import static dev.pawl.quartz.Eventually.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testservers.PostgresServer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.jdbcjobstore.JobStoreTX;
import org.quartz.impl.jdbcjobstore.PostgreSQLDelegate;
import org.quartz.utils.ConnectionProvider;

/** The page "From Quartz' JDBC store": a cluster with tables, and the two ways over. */
@Tag("safety")
class FromJdbcStoreTest {

  private static final TriggerKey REMINDERS = TriggerKey.triggerKey("reminders");

  private static PostgresServer server;

  private final MemoryStore store = new MemoryStore();
  private final List<Scheduler> schedulers = new ArrayList<>();
  private final List<Instant> old = new CopyOnWriteArrayList<>();
  private final List<Instant> neo = new CopyOnWriteArrayList<>();
  private Pawl pawl;

  /** Connections to the tables, as {@code quartz.properties} names them. */
  public static final class Connections implements ConnectionProvider {
    @Override
    public Connection getConnection() throws SQLException {
      return DriverManager.getConnection(server.url());
    }

    @Override
    public void shutdown() {}

    @Override
    public void initialize() {}
  }

  @BeforeEach
  void createTables() throws Exception {
    server = PostgresServer.start();
    pawl = Pawl.builder(store).build();
    try (InputStream in = JobStoreTX.class.getResourceAsStream("tables_postgres.sql");
        Connection connection = new Connections().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }
  }

  @AfterEach
  void close() throws SchedulerException {
    for (Scheduler each : schedulers) {
      each.shutdown(true);
    }
    pawl.close();
    store.close();
    server.close();
  }

  private static Trigger everySecond() {
    return TriggerBuilder.newTrigger()
        .withIdentity(REMINDERS)
        .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
        .build();
  }

  /** A node with tables, whose schedule is there already if another one has made it. */
  private Scheduler withTables(String id, Job body) throws SchedulerException {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", TestNode.SCHEDULER);
    properties.setProperty("org.quartz.scheduler.instanceId", id);
    properties.setProperty("org.quartz.threadPool.threadCount", "3");
    properties.setProperty("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
    properties.setProperty("org.quartz.jobStore.class", JobStoreTX.class.getName());
    properties.setProperty(
        "org.quartz.jobStore.driverDelegateClass", PostgreSQLDelegate.class.getName());
    properties.setProperty("org.quartz.jobStore.dataSource", "app");
    properties.setProperty("org.quartz.jobStore.isClustered", "true");
    properties.setProperty(
        "org.quartz.dataSource.app.connectionProvider.class", Connections.class.getName());
    Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
    SchedulerRepository.getInstance().remove(TestNode.SCHEDULER); // There are several here.
    schedulers.add(scheduler);
    scheduler.setJobFactory((bundle, quartz) -> body);
    if (!scheduler.checkExists(REMINDERS)) {
      scheduler.scheduleJob(TestNode.job(TestNode.Plain.class), everySecond());
    }
    scheduler.start();
    return scheduler;
  }

  private static int fired() {
    try (Connection connection = new Connections().getConnection();
        Statement statement = connection.createStatement();
        ResultSet found =
            statement.executeQuery(
                "SELECT COUNT(*) FROM QRTZ_FIRED_TRIGGERS WHERE STATE = 'EXECUTING'")) {
      found.next();
      return found.getInt(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private TestNode overPawl() throws SchedulerException {
    return new TestNode(store, context -> neo.add(context.getScheduledFireTime().toInstant()));
  }

  /** With the switch on: what was scheduled before would begin with a time that is past. */
  private static void turnOn(TestNode node) throws SchedulerException {
    node.schedule(TestNode.Plain.class, everySecond()).start();
  }

  /** A cron trigger that begins now may fire for the second that it is now. */
  private static void letASecondPass() {
    long second = Instant.now().getEpochSecond();
    until("the next second", () -> Instant.now().getEpochSecond() > second);
  }

  private void assertNoneTwice() {
    List<Instant> all = new ArrayList<>(old);
    all.addAll(neo);
    assertThat(all).doesNotHaveDuplicates();
  }

  @Test
  void bySwitchAPausedClusterStandsStillAndTheNewOneGoesOn() throws Exception {
    Job body = context -> old.add(context.getScheduledFireTime().toInstant());
    Scheduler one = withTables("one", body);
    Scheduler two = withTables("two", body);
    until("the old nodes fire", () -> old.size() >= 2);
    one.pauseAll();
    assertThat(two.getTriggerState(REMINDERS)).isEqualTo(Trigger.TriggerState.PAUSED);
    until("nothing runs any more", () -> fired() == 0);
    letASecondPass();
    int before = old.size();
    try (TestNode here = overPawl();
        TestNode there = overPawl()) {
      turnOn(here);
      turnOn(there);
      until("the new nodes fire", () -> neo.size() >= 2);
      here.scheduler.standby();
      there.scheduler.standby();
      until("nobody runs", () -> here.isIdle() && there.isIdle());
      assertThat(old).hasSize(before);
      assertNoneTwice();
    }
    letASecondPass();
    two.rescheduleJob(REMINDERS, everySecond()); // Its next time was that of the pause.
    two.resumeAll();
    until("the old nodes fire again", () -> old.size() > before + 1);
    assertNoneTwice();
  }

  @Test
  void aRollingChangeRunsATimeOnceWhereTheOldJobAsksForTheSameTick() throws Exception {
    Job body =
        context -> {
          Instant time = context.getScheduledFireTime().toInstant();
          pawl.job("quartz:reports:DEFAULT/reminders").run(time, run -> old.add(time));
        };
    Scheduler one = withTables("one", body);
    until("the old node fires", () -> old.size() >= 1);
    try (TestNode here = overPawl()) {
      turnOn(here);
      until("both have fired", () -> neo.size() + old.size() >= 6);
      one.standby();
      int before = neo.size();
      until("the new one goes on", () -> neo.size() > before + 1);
    }
    assertNoneTwice();
  }
}
