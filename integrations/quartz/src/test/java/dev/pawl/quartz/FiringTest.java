package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobKey;
import org.quartz.JobPersistenceException;
import org.quartz.SchedulerException;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;

/** Who fires, and who hears of it. */
@Tag("safety")
class FiringTest {

  private static final JobKey SEND = JobKey.jobKey("send");
  private static final TriggerKey TIMER = TriggerKey.triggerKey("timer");

  private final MemoryStore store = new MemoryStore();
  private final List<TestNode> nodes = new ArrayList<>();
  private final List<Instant> ticks = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws SchedulerException {
    for (TestNode node : nodes) {
      node.close();
    }
    store.close();
  }

  private TestNode node(Job body) throws SchedulerException {
    TestNode node = new TestNode(store, body);
    nodes.add(node);
    return node;
  }

  private TestNode node() throws SchedulerException {
    return node(context -> ticks.add(QuartzRun.of(context).orElseThrow().tick().orElseThrow()));
  }

  private static Trigger everySecond() {
    return cron("* * * * * ?");
  }

  private static Trigger cron(String expression) {
    return TriggerBuilder.newTrigger()
        .withIdentity(TIMER)
        .withSchedule(CronScheduleBuilder.cronSchedule(expression))
        .build();
  }

  /** A cron expression for one second, which is so far away. */
  private static String in(Duration time) {
    var at = ZonedDateTime.now(ZoneId.systemDefault()).plus(time).plusSeconds(1);
    return at.getSecond() + " " + at.getMinute() + " " + at.getHour() + " * * ?";
  }

  /**
   * Schedules a run for one second on all nodes, and returns which: again if it has passed before
   * the last of them was told, which then would run a day later.
   */
  private Instant scheduleOnce() throws SchedulerException {
    while (true) {
      String once = in(Duration.ofSeconds(1));
      Set<Instant> times = new HashSet<>();
      for (TestNode node : nodes) {
        node.scheduler.deleteJob(SEND);
        node.schedule(TestNode.Plain.class, cron(once));
        times.add(node.scheduler.getTrigger(TIMER).getNextFireTime().toInstant());
      }
      Instant time = times.iterator().next();
      if (times.size() == 1 && time.isBefore(Instant.now().plusSeconds(60))) {
        return time;
      }
    }
  }

  @Test
  void eachScheduledTimeRunsOnceOnOneOfTheNodesAndListenersElsewhereHearNothing() throws Exception {
    for (int i = 0; i < 3; i++) {
      node().schedule(TestNode.Plain.class, everySecond()).start();
    }
    Eventually.until("four runs", () -> ticks.size() >= 4);
    for (TestNode node : nodes) {
      node.scheduler.shutdown(true);
    }
    assertThat(ticks).doesNotHaveDuplicates();
    for (TestNode node : nodes) {
      assertThat(node.heard("fired")).isEqualTo(node.ran.size());
      assertThat(node.heard("to be executed")).isEqualTo(node.ran.size());
      assertThat(node.heard("executed")).isEqualTo(node.ran.size());
      assertThat(node.heard("complete")).isEqualTo(node.ran.size());
      assertThat(node.heard).doesNotContain("vetoed", "threw", "misfired");
      assertThat(node.heard("error")).isZero();
    }
    assertThat(nodes.stream().mapToInt(node -> node.ran.size()).sum()).isEqualTo(ticks.size());
  }

  @Test
  void aManualTriggerRunsWhereItWasTriggeredAlthoughAnotherNodeRunsTheJob() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    TestNode first =
        node(context -> await(free)).schedule(TestNode.Plain.class, everySecond()).start();
    TestNode second = node(context -> {});
    second.scheduler.addJob(TestNode.job(TestNode.Plain.class), true);
    second.start();
    Eventually.until("a run here", () -> !first.ran.isEmpty());
    second.scheduler.triggerJob(SEND);
    second.scheduler.triggerJob(SEND);
    Eventually.until("two runs there", () -> second.ran.size() == 2);
    free.countDown();
  }

  @Test
  void simpleTriggersThatWereStartedAtDifferentMomentsRunOnceAPeriod() throws Exception {
    for (int i = 0; i < 3; i++) {
      node()
          .schedule(
              TestNode.Plain.class,
              TriggerBuilder.newTrigger()
                  .withIdentity(TIMER)
                  .startAt(Date.from(Instant.now().plusMillis(330L * i)))
                  .withSchedule(
                      SimpleScheduleBuilder.simpleSchedule()
                          .withIntervalInSeconds(1)
                          .repeatForever())
                  .build())
          .start();
    }
    Eventually.until("five runs", () -> ticks.size() >= 5);
    List<Instant> inOrder = ticks.stream().sorted().toList();
    for (int i = 1; i < inOrder.size(); i++) {
      assertThat(Duration.between(inOrder.get(i - 1), inOrder.get(i)))
          .isGreaterThan(Duration.ofMillis(500));
    }
  }

  @Test
  void whatMisfiresOnOneNodeAndRanInTimeOnAnotherDoesNotRunAgain() throws Exception {
    TestNode late = node();
    late.jobs.setMisfireThreshold(1);
    TestNode inTime = node();
    var unused = scheduleOnce();
    late.scheduler.pauseTrigger(TIMER);
    late.start();
    inTime.start();
    Eventually.until("the run in time", () -> inTime.heard.contains("complete"));
    Eventually.until("the run is told", inTime::isIdle);
    late.scheduler.resumeTrigger(TIMER);
    Eventually.until("the late fire is over", late::hasFiredAndIsIdle);
    assertThat(late.heard).containsOnly("misfired");
    assertThat(ticks).hasSize(1);
  }

  @Test
  void whatMisfiresOnAllNodesRunsOnceForItsScheduledTime() throws Exception {
    for (int i = 0; i < 3; i++) {
      node().jobs.setMisfireThreshold(1);
    }
    Instant time = scheduleOnce();
    for (TestNode node : nodes) {
      node.scheduler.pauseTrigger(TIMER);
      node.start();
    }
    Eventually.until("it is late", () -> Instant.now().isAfter(time.plusMillis(1_100)));
    for (TestNode node : nodes) {
      node.scheduler.resumeTrigger(TIMER);
    }
    for (TestNode node : nodes) {
      Eventually.until("the late fire is over", node::hasFiredAndIsIdle);
    }
    assertThat(ticks).containsExactly(time);
  }

  @Test
  void aTimeThatIsTheSameOnAllNodesRunsOnceAlsoWhereItIsScheduledAfterwards() throws Exception {
    Date time = Date.from(Instant.now().plusMillis(500).truncatedTo(ChronoUnit.MILLIS));
    for (int i = 0; i < 2; i++) {
      node().schedule(TestNode.Plain.class, at(time)).start();
    }
    Eventually.until("a run", () -> ticks.size() == 1);
    for (TestNode node : nodes) {
      Eventually.until("all is over", () -> node.hasFiredAndIsIdle() && !hasTrigger(node));
    }
    TestNode afterwards = node().schedule(TestNode.Plain.class, at(time)).start();
    Eventually.until("it is over", () -> afterwards.hasFiredAndIsIdle() && !hasTrigger(afterwards));
    assertThat(ticks).containsExactly(time.toInstant());
  }

  private static Trigger at(Date time) {
    return TriggerBuilder.newTrigger().withIdentity(TIMER).startAt(time).build();
  }

  private static boolean hasTrigger(TestNode node) {
    try {
      return node.scheduler.checkExists(TIMER);
    } catch (SchedulerException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aJobThatMayNotRunConcurrentlyRunsOnceAtATimeInTheCluster() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      TestNode node =
          node(
              context -> {
                most.accumulateAndGet(running.incrementAndGet(), Math::max);
                pause(Duration.ofMillis(300));
                running.decrementAndGet();
                runs.incrementAndGet();
              });
      node.schedule(TestNode.Exclusive.class, everySecond());
      node.scheduler.triggerJob(SEND); // Another trigger of the same job, on each node.
      node.start();
    }
    Eventually.until("six runs", () -> runs.get() >= 6);
    assertThat(most).hasValue(1);
  }

  @Test
  void aRunThatTakesLongerThanItsPeriodLeavesNoQueueBehind() throws Exception {
    CountDownLatch free = new CountDownLatch(1);
    Job body =
        context -> {
          ticks.add(QuartzRun.of(context).orElseThrow().tick().orElseThrow());
          await(free);
        };
    // A node that comes later begins with the same time: both wait for the end of that run.
    Trigger timer =
        everySecond().getTriggerBuilder().startAt(Date.from(Instant.now().plusSeconds(1))).build();
    for (int i = 0; i < 2; i++) {
      node(body).schedule(TestNode.Plain.class, timer).start();
    }
    Eventually.until("a run", () -> ticks.size() == 1);
    Instant first = ticks.get(0);
    // The runner's scheduler has taken its run as well, after the time had come.
    Eventually.until(
        "six times have passed", () -> nodes.stream().allMatch(node -> node.fired() >= 8));
    free.countDown();
    Eventually.until("the next run", () -> ticks.size() >= 2);
    // The runner keeps the latest, the other node the first, which has run, and the latest.
    assertThat(ticks.get(1)).isAfterOrEqualTo(first.plusSeconds(6));
    Eventually.until("two more", () -> ticks.size() >= 4);
    assertThat(ticks).doesNotHaveDuplicates().isSorted();
  }

  @Test
  void triggersWithoutANameAreTheSameOnAllNodes() throws Exception {
    for (int i = 0; i < 3; i++) {
      TestNode node = node();
      JobDetail job = JobBuilder.newJob(TestNode.Plain.class).build();
      node.scheduler.scheduleJob(
          job,
          TriggerBuilder.newTrigger()
              .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
              .build());
      node.start();
    }
    Eventually.until("four runs", () -> ticks.size() >= 4);
    assertThat(ticks).doesNotHaveDuplicates();
  }

  @Test
  void twoTriggersThatNodesCouldNotTellApartAreRefused() throws Exception {
    TestNode node = node();
    node.scheduler.addJob(TestNode.job(TestNode.Plain.class), true);
    node.scheduler.scheduleJob(nameless());
    assertThatThrownBy(() -> node.scheduler.scheduleJob(nameless()))
        .isInstanceOf(JobPersistenceException.class)
        .hasMessageContaining("name them by withIdentity");
  }

  private static Trigger nameless() {
    return TriggerBuilder.newTrigger()
        .forJob(SEND)
        .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
        .build();
  }

  @Test
  void aPeriodThatNodesCannotShareIsRefused() throws Exception {
    TestNode node = node();
    assertThatThrownBy(
            () ->
                node.schedule(
                    TestNode.Plain.class,
                    TriggerBuilder.newTrigger()
                        .withIdentity(TIMER)
                        .withSchedule(
                            SimpleScheduleBuilder.simpleSchedule()
                                .withIntervalInMilliseconds(20)
                                .repeatForever())
                        .build()))
        .isInstanceOf(JobPersistenceException.class)
        .hasMessageContaining("onEveryNode");
  }

  @Test
  void aGroupThatRunsOnEveryNodeDoes() throws Exception {
    for (int i = 0; i < 2; i++) {
      TestNode node =
          new TestNode(store, 3, context -> {}, jobs -> jobs.setOnEveryNode("a, DEFAULT"));
      nodes.add(node);
      node.schedule(TestNode.Plain.class, everySecond()).start();
    }
    for (TestNode node : nodes) {
      Eventually.until("two runs", () -> node.ran.size() >= 2);
    }
  }

  static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void pause(Duration time) {
    LockSupport.parkNanos(time.toNanos());
  }
}
