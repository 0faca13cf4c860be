package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.impl.calendar.CronCalendar;

/** What happens to a cluster with time: classes that are missing, calendars, new schedulers. */
class FirstYearTest {

  private final MemoryStore store = new MemoryStore();
  private final List<TestNode> nodes = new ArrayList<>();

  @AfterEach
  void close() throws SchedulerException {
    for (TestNode node : nodes) {
      node.close();
    }
    store.close();
  }

  private TestNode node() throws SchedulerException {
    TestNode node = new TestNode(store, context -> {});
    nodes.add(node);
    return node;
  }

  private static TriggerBuilder<? extends Trigger> everySecond() {
    return TriggerBuilder.newTrigger()
        .withIdentity("timer")
        .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"));
  }

  /** As in the middle of a deployment: one node has not got the class, or cannot make the job. */
  @Test
  void whatOneNodeCannotMakeRunsOnAnother() throws Exception {
    TestNode lacking = node();
    AtomicInteger asked = new AtomicInteger();
    lacking.scheduler.setJobFactory(
        (bundle, quartz) -> {
          asked.incrementAndGet();
          throw new SchedulerException("no such class");
        });
    lacking.schedule(TestNode.Plain.class, everySecond().build()).start();
    Eventually.until("it could not make the job", () -> asked.get() > 0);
    TestNode other = node().schedule(TestNode.Plain.class, everySecond().build()).start();
    Eventually.until("the other runs it", () -> other.ran.size() >= 2);
    Eventually.until("its trigger is in error", () -> state(lacking) == Trigger.TriggerState.ERROR);

    // Mended, and the trigger is put back, as with every job store.
    lacking.scheduler.setJobFactory((bundle, quartz) -> context -> lacking.ran.add(Instant.EPOCH));
    lacking.scheduler.resetTriggerFromErrorState(TriggerKey.triggerKey("timer"));
    other.scheduler.standby();
    Eventually.until("the first runs it again", () -> !lacking.ran.isEmpty());
  }

  private static Trigger.TriggerState state(TestNode node) {
    try {
      return node.scheduler.getTriggerState(TriggerKey.triggerKey("timer"));
    } catch (SchedulerException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aCalendarExcludesItsTimesOnAllNodes() throws Exception {
    for (int i = 0; i < 2; i++) {
      TestNode node = node();
      CronCalendar odd = new CronCalendar("1/2 * * * * ?"); // Odd seconds are off.
      node.scheduler.addCalendar("odd", odd, true, true);
      node.schedule(TestNode.Plain.class, everySecond().modifiedByCalendar("odd").build());
      node.start();
    }
    Eventually.until("runs", () -> runs().size() >= 3);
    assertThat(runs()).allMatch(time -> time % 2 == 0).doesNotHaveDuplicates();
  }

  private List<Long> runs() {
    return nodes.stream()
        .flatMap(node -> node.ran.stream())
        .map(time -> time.getEpochSecond())
        .toList();
  }

  private static final List<String> RAN = new CopyOnWriteArrayList<>();

  public static class Named implements Job {
    @Override
    public void execute(JobExecutionContext context) throws org.quartz.JobExecutionException {
      try {
        RAN.add(context.getScheduler().getSchedulerName());
      } catch (SchedulerException e) {
        throw new org.quartz.JobExecutionException(e);
      }
    }
  }

  private static Scheduler scheduler(String name) throws SchedulerException {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", name);
    properties.setProperty("org.quartz.threadPool.threadCount", "2");
    properties.setProperty("org.quartz.jobStore.class", PawlJobStore.class.getName());
    Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
    scheduler.scheduleJob(
        JobBuilder.newJob(Named.class).withIdentity("named").build(), everySecond().build());
    scheduler.start();
    return scheduler;
  }

  /** Two applications of one process, and one that ends its scheduler and makes it anew. */
  @Test
  void schedulersOfOneProcessAreClustersOfTheirOwnAndCanBeMadeAnew() throws Exception {
    try (Pawl pawl = Pawl.builder(store).build()) {
      PawlJobStore.use("mail", pawl);
      PawlJobStore.use("print", pawl);
      Scheduler mail = scheduler("mail");
      Scheduler print = scheduler("print");
      Eventually.until("both run", () -> RAN.contains("mail") && RAN.contains("print"));
      mail.shutdown(true);
      RAN.clear();
      Eventually.until("the other goes on", () -> RAN.contains("print"));
      assertThat(RAN).doesNotContain("mail");
      Scheduler again = scheduler("mail");
      Eventually.until("it is made anew", () -> RAN.contains("mail"));
      assertThat(again.checkExists(JobKey.jobKey("named"))).isTrue();
      again.shutdown(true);
      print.shutdown(true);
      Eventually.until("nothing is in use", () -> pawl.inspector().listInUse("", 10).isEmpty());
    }
  }
}
