package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.testservers.RedisServer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.SchedulerRepository;
import org.quartz.impl.StdSchedulerFactory;

/** Three schedulers that find each other by the URL of a Redis. */
@Tag("safety")
class RedisTest {

  private final List<Instant> ticks = new CopyOnWriteArrayList<>();

  private Scheduler scheduler(String url) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", "reports");
    properties.setProperty("org.quartz.threadPool.threadCount", "2");
    properties.setProperty("org.quartz.threadPool.makeThreadsDaemons", "true");
    properties.setProperty("org.quartz.jobStore.class", PawlJobStore.class.getName());
    properties.setProperty("org.quartz.jobStore.store", url);
    properties.setProperty("org.quartz.jobStore.lease", "60000"); // It outlasts a busy machine.
    Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
    SchedulerRepository.getInstance().remove("reports"); // There are several in this process.
    scheduler.setJobFactory(
        (bundle, quartz) ->
            context -> ticks.add(QuartzRun.of(context).orElseThrow().tick().orElseThrow()));
    scheduler.scheduleJob(
        TestNode.job(TestNode.Exclusive.class),
        TriggerBuilder.newTrigger()
            .withIdentity("timer")
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
    scheduler.start();
    return scheduler;
  }

  @Test
  void eachTimeRunsOnceAndTheRunsAreInTheJournal() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      List<Scheduler> schedulers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        schedulers.add(scheduler(redis.url()));
      }
      Eventually.until("four runs", () -> ticks.size() >= 4);
      schedulers.remove(0).shutdown(true);
      int then = ticks.size();
      Eventually.until("the others go on", () -> ticks.size() >= then + 2);
      for (Scheduler scheduler : schedulers) {
        scheduler.shutdown(true);
      }
      assertThat(ticks).doesNotHaveDuplicates();
      try (Pawl pawl = Pawl.connect(redis.url())) {
        List<PastRun> runs = pawl.inspector().runs("quartz:reports:DEFAULT/timer", 100);
        assertThat(runs.stream().map(PastRun::tick).toList())
            .containsExactlyInAnyOrderElementsOf(ticks);
        assertThat(runs).allMatch(run -> run.ending() == PastRun.Ending.RAN);
      }
    }
  }
}
