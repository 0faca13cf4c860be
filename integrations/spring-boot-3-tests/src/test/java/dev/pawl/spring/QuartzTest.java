package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.quartz.PawlJobStore;
import dev.pawl.quartz.QuartzRun;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.listeners.SchedulerListenerSupport;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Quartz in a Spring Boot application: one property, and its schedulers are a cluster. */
class QuartzTest {

  private static final String JOB = "quartz:quartzScheduler:DEFAULT/every-second";
  private static final List<Instant> TICKS = new CopyOnWriteArrayList<>();
  private static final AtomicInteger ENDED = new AtomicInteger();

  /** Runs that do not end until they may. */
  private static final AtomicInteger HELD = new AtomicInteger();

  private static volatile CountDownLatch hold = new CountDownLatch(0);

  public static class Reminders implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      TICKS.add(QuartzRun.of(context).orElseThrow().tick().orElseThrow());
      CountDownLatch mayEnd = hold;
      if (mayEnd.getCount() > 0) {
        HELD.incrementAndGet();
      }
      try {
        mayEnd.await();
        ENDED.incrementAndGet();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {
    @Bean
    JobDetail reminders() {
      return JobBuilder.newJob(Reminders.class).withIdentity("reminders").storeDurably().build();
    }

    @Bean
    BeforeTheNode beforeTheNode() {
      return new BeforeTheNode();
    }

    @Bean
    Trigger everySecond(JobDetail reminders) {
      return TriggerBuilder.newTrigger()
          .forJob(reminders)
          .withIdentity("every-second")
          .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
          .build();
    }
  }

  /** Stops as the last before the node does, and sees how many runs have ended by then. */
  static class BeforeTheNode implements SmartLifecycle {
    private volatile boolean running;
    volatile int endedByThen = -1;

    @Override
    public void start() {
      running = true;
    }

    @Override
    public void stop() {
      endedByThen = ENDED.get();
      running = false;
    }

    @Override
    public boolean isRunning() {
      return running;
    }

    @Override
    public int getPhase() {
      return 2;
    }
  }

  @TempDir Path directory;
  private final List<ConfigurableApplicationContext> contexts = new ArrayList<>();

  private ConfigurableApplicationContext start() {
    ConfigurableApplicationContext context =
        SpringApplication.run(
            App.class,
            "--spring.quartz.properties.org.quartz.jobStore.class=" + PawlJobStore.class.getName(),
            "--pawl.store=sqlite:" + directory.resolve("locks.db"),
            "--spring.datasource.url=jdbc:sqlite::memory:",
            "--spring.main.web-application-type=none",
            // All of the other tests' but that of Quartz.
            "--spring.autoconfigure.exclude="
                + "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration,"
                + "org.springframework.boot.autoconfigure.hazelcast.HazelcastAutoConfiguration,"
                + "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                + "org.springframework.boot.hazelcast.autoconfigure.HazelcastAutoConfiguration");
    contexts.add(context);
    return context;
  }

  @AfterEach
  void end() {
    hold.countDown();
    contexts.forEach(ConfigurableApplicationContext::close);
    TICKS.clear();
  }

  @Test
  void twoApplicationsRunEachTimeOnceAndARunEndsBeforeItsApplicationDoes() throws Exception {
    ConfigurableApplicationContext first = start();
    ConfigurableApplicationContext second = start();
    assertThat(first.getBean(Scheduler.class).getMetaData().getJobStoreClass())
        .isEqualTo(PawlJobStore.class);
    AppProcess.await(() -> TICKS.size() >= 4, () -> "only " + TICKS);
    assertThat(TICKS).doesNotHaveDuplicates();

    second.close();
    hold = new CountDownLatch(1);
    AppProcess.await(() -> HELD.get() > 0, () -> "no run since " + TICKS);
    Instant last = TICKS.get(TICKS.size() - 1);
    BeforeTheNode node = first.getBean(BeforeTheNode.class);
    AtomicBoolean ends = new AtomicBoolean();
    first
        .getBean(Scheduler.class)
        .getListenerManager()
        .addSchedulerListener(
            new SchedulerListenerSupport() {
              @Override
              public void schedulerShuttingdown() {
                ends.set(true);
              }
            });
    int ended = ENDED.get();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(first::close);
    AppProcess.await(() -> ends.get() || node.endedByThen >= 0, () -> "the scheduler does not end");
    hold.countDown();
    closed.get(3, TimeUnit.MINUTES);
    assertThat(node.endedByThen).as("runs that had ended before the node did").isEqualTo(ended + 1);
    try (Pawl pawl = Pawl.connect("sqlite:" + directory.resolve("locks.db"))) {
      assertThat(pawl.inspector().runs(JOB, 100))
          .as("the last run has had its lease to the end")
          .filteredOn(run -> run.tick().equals(last))
          .extracting(PastRun::ending)
          .containsExactly(PastRun.Ending.RAN);
    }
  }
}
