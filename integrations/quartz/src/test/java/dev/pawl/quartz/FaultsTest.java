package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Inspector;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testkit.UnreliableStore;
import dev.pawl.testservers.Measurement;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.quartz.CronScheduleBuilder;
import org.quartz.InterruptableJob;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.JobExecutionException;
import org.quartz.JobKey;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.listeners.JobListenerSupport;
import org.quartz.listeners.TriggerListenerSupport;

/** What happens to a node in its first year. */
class FaultsTest {

  private static final TriggerKey TIMER = TriggerKey.triggerKey("timer");
  private static final String TIMER_JOB = "quartz:reports:DEFAULT/timer";

  private final MemoryStore store = new MemoryStore();
  private final List<TestNode> nodes = new CopyOnWriteArrayList<>();
  private final CountDownLatch free = new CountDownLatch(1);

  @AfterEach
  void close() throws SchedulerException {
    free.countDown();
    for (TestNode node : nodes) {
      node.close();
    }
    store.close();
  }

  private TestNode node(Job body) throws SchedulerException {
    return node(3, body, jobs -> {});
  }

  private TestNode node(int threads, Job body, Consumer<PawlJobStore> settings)
      throws SchedulerException {
    TestNode node = new TestNode(store, threads, body, settings);
    nodes.add(node);
    return node;
  }

  private static Trigger everySecond() {
    return TriggerBuilder.newTrigger()
        .withIdentity(TIMER)
        .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
        .build();
  }

  private List<PastRun> runs(TestNode node) {
    Inspector inspector = node.pawl.inspector();
    return inspector.runs(TIMER_JOB, 50);
  }

  @Test
  void aFireInAnOutageIsHeardOfAndRunsWhenTheStoreIsBack() throws Exception {
    UnreliableStore unreliable = new UnreliableStore(store);
    TestNode node = new TestNode(Pawl.builder(unreliable).build(), 3, context -> {}, jobs -> {});
    nodes.add(node);
    unreliable.become(UnreliableStore.Mode.REFUSING);
    node.schedule(TestNode.Plain.class, everySecond()).start();
    Eventually.until("an error", () -> node.heard("error: trigger DEFAULT.timer") > 0);
    assertThat(node.ran).isEmpty();
    unreliable.become(UnreliableStore.Mode.GOOD);
    Eventually.until("runs", () -> node.ran.size() >= 2);
    assertThat(node.ran).doesNotHaveDuplicates();
  }

  /** A scheduler that stalls for longer than the threshold says so once more: MisfireTest. */
  @Test
  void aFireThatIsTooLateAfterAnOutageIsAMisfireOfItsTrigger() throws Exception {
    Measurement.whereNothingStalls(
        () -> {
          List<Instant> ticks = new CopyOnWriteArrayList<>();
          try (MemoryStore memory = new MemoryStore()) {
            UnreliableStore unreliable = new UnreliableStore(memory);
            try (TestNode node =
                new TestNode(
                    Pawl.builder(unreliable).build(),
                    3,
                    context -> ticks.add(QuartzRun.of(context).orElseThrow().tick().orElseThrow()),
                    jobs -> jobs.setMisfireThreshold(2_000))) {
              misfireInAnOutage(node, unreliable, ticks);
            }
          }
        });
  }

  private static void misfireInAnOutage(
      TestNode node, UnreliableStore unreliable, List<Instant> ticks) throws Exception {
    var at = ZonedDateTime.now(ZoneId.systemDefault()).plusSeconds(2);
    node.schedule(
        TestNode.Exclusive.class,
        TriggerBuilder.newTrigger()
            .withIdentity(TIMER)
            .withSchedule(
                CronScheduleBuilder.cronSchedule(
                    at.getSecond() + " " + at.getMinute() + " " + at.getHour() + " * * ?"))
            .build());
    Instant time = node.scheduler.getTrigger(TIMER).getNextFireTime().toInstant();
    unreliable.become(UnreliableStore.Mode.REFUSING);
    node.start();
    Eventually.until("an error", () -> node.heard("error") > 0);
    Eventually.until("it is late", () -> Instant.now().isAfter(time.plusMillis(2_100)));
    unreliable.become(UnreliableStore.Mode.GOOD);
    Eventually.until("the run", () -> node.heard.contains("complete"));
    if (!ticks.equals(List.of(time))) { // No measurement: it is so on any machine.
      throw new IllegalStateException("runs of " + ticks + " instead of " + time);
    }
    assertThat(node.heard("misfired")).isEqualTo(1);
  }

  /** A job that ends when it is interrupted. */
  private static final class Patient implements InterruptableJob {
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final AtomicBoolean wasHeld = new AtomicBoolean(true);

    @Override
    public void execute(JobExecutionContext context) {
      FiringTest.await(interrupted);
      wasHeld.set(QuartzRun.of(context).orElseThrow().isHeld());
    }

    @Override
    public void interrupt() {
      interrupted.countDown();
    }
  }

  @Test
  void aRunThatHasLostItsLeaseIsInterrupted() throws Exception {
    TestNode node = node(context -> {});
    Patient job = new Patient();
    node.scheduler.setJobFactory((bundle, quartz) -> job);
    node.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> node.heard.contains("to be executed"));
    Inspector inspector = node.pawl.inspector();
    long token = inspector.find("job:" + TIMER_JOB).orElseThrow().holders().get(0).token();
    inspector.forceRelease("job:" + TIMER_JOB, token, "ann", "a test");
    Eventually.until("the end of the run", () -> node.heard.contains("executed"));
    assertThat(job.wasHeld).isFalse();
  }

  @Test
  void standingByTakesNoThreadOfTheScheduler() throws Exception {
    TestNode runner = node(context -> FiringTest.await(free));
    runner.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> !runner.ran.isEmpty());
    TestNode standby = node(1, context -> {}, jobs -> {});
    standby.schedule(TestNode.Exclusive.class, everySecond());
    standby.scheduler.scheduleJob(
        JobBuilder.newJob(TestNode.Plain.class).withIdentity("other").build(),
        TriggerBuilder.newTrigger()
            .withIdentity("other")
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
    standby.start();
    Eventually.until("the other job runs", () -> standby.ran.size() >= 3);
    assertThat(standby.isIdle()).isFalse();
    assertThat(runner.ran).hasSize(1);
  }

  @Test
  void aNodeWithoutAFreeThreadLeavesItsTickToAnother() throws Exception {
    TestNode full = node(1, context -> FiringTest.await(free), jobs -> {});
    full.schedule(TestNode.Plain.class, everySecond());
    full.scheduler.scheduleJob(
        JobBuilder.newJob(TestNode.Plain.class).withIdentity("other").build(),
        TriggerBuilder.newTrigger()
            .withIdentity("other")
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
    full.start();
    Eventually.until("one of them runs", () -> full.ran.size() == 1);
    TestNode idle = node(context -> {});
    idle.schedule(TestNode.Plain.class, everySecond());
    idle.scheduler.scheduleJob(
        JobBuilder.newJob(TestNode.Plain.class).withIdentity("other").build(),
        TriggerBuilder.newTrigger()
            .withIdentity("other")
            .withSchedule(CronScheduleBuilder.cronSchedule("* * * * * ?"))
            .build());
    idle.start();
    Eventually.until("the other one runs there", () -> idle.ran.size() >= 2);
  }

  @Test
  void aJobThatFailsIsInTheJournalAndIsTriedElsewhereIfThatIsWanted() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    // A node that comes later begins with the same time.
    Trigger timer =
        everySecond().getTriggerBuilder().startAt(Date.from(Instant.now().plusSeconds(1))).build();
    for (int i = 0; i < 2; i++) {
      TestNode node =
          node(
              3,
              context -> {
                if (calls.incrementAndGet() == 1) {
                  Eventually.until(
                      "the other stands by",
                      () -> nodes.size() == 2 && nodes.stream().allMatch(each -> each.fired() > 0));
                  throw new JobExecutionException("no paper");
                }
              },
              jobs -> jobs.setRetryElsewhere(1));
      node.schedule(TestNode.Plain.class, timer).start();
    }
    Eventually.until(
        "a failure and a run of the same tick",
        () ->
            runs(nodes.get(0)).stream()
                .filter(run -> run.ending() == PastRun.Ending.RETRIED)
                .anyMatch(
                    failed ->
                        runs(nodes.get(0)).stream()
                            .anyMatch(
                                run ->
                                    run.tick().equals(failed.tick())
                                        && run.ending() == PastRun.Ending.RAN)));
    assertThat(runs(nodes.get(0)).stream().flatMap(run -> run.error().stream()).toList())
        .singleElement()
        .asString()
        .contains("no paper");
  }

  @Test
  void aTriggerThatIsPausedHereRunsElsewhereAndAgainHereWhenItIsResumed() throws Exception {
    TestNode paused = node(context -> {});
    paused.schedule(TestNode.Plain.class, everySecond());
    paused.scheduler.pauseTrigger(TIMER);
    paused.start();
    TestNode other = node(context -> {}).schedule(TestNode.Plain.class, everySecond()).start();
    Eventually.until("runs elsewhere", () -> other.ran.size() >= 2);
    assertThat(paused.ran).isEmpty();
    other.scheduler.pauseAll();
    paused.scheduler.resumeAll();
    Eventually.until("runs here", () -> paused.ran.size() >= 2);
  }

  @Test
  void aStandbyWhoseTriggerIsPausedTakesNothingOver() throws Exception {
    TestNode runner = node(context -> FiringTest.await(free));
    runner.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> !runner.ran.isEmpty());
    TestNode standby = node(context -> {});
    standby.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a standby", () -> !standby.isIdle());
    standby.scheduler.pauseTrigger(TIMER);
    release(standby);
    Eventually.until("it is left", () -> standby.isIdle());
    assertThat(standby.ran).isEmpty();
  }

  private static void release(TestNode node) {
    Inspector inspector = node.pawl.inspector();
    for (String name : List.of("job:" + TIMER_JOB, "quartz:reports:DEFAULT/send")) {
      inspector
          .find(name)
          .flatMap(info -> info.holders().stream().findFirst())
          .ifPresent(
              holder -> inspector.forceRelease(name, holder.token(), "ann", "as if it had died"));
    }
  }

  @Test
  void aSchedulerInStandbyModeTakesNothingOver() throws Exception {
    TestNode runner = node(context -> FiringTest.await(free));
    runner.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> !runner.ran.isEmpty());
    TestNode standby = node(context -> {});
    standby.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a standby", () -> !standby.isIdle());
    standby.scheduler.standby();
    Eventually.until("nothing waits", standby::isIdle);
    release(standby);
    standby.scheduler.start();
    Eventually.until("it fires again", () -> !standby.ran.isEmpty());
  }

  @Test
  void aRunThatIsTakenOverIsARecovery() throws Exception {
    TestNode runner = node(context -> FiringTest.await(free));
    runner.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> !runner.ran.isEmpty());
    AtomicBoolean isRecovering = new AtomicBoolean();
    List<TriggerKey> recovered = new CopyOnWriteArrayList<>();
    TestNode standby =
        node(
            context -> {
              isRecovering.set(context.isRecovering());
              if (context.isRecovering()) {
                recovered.add(context.getRecoveringTriggerKey());
              }
            });
    standby.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a standby", () -> !standby.isIdle());
    long since = System.nanoTime();
    Eventually.until("a while", () -> System.nanoTime() - since > 1_500_000_000L);
    release(standby);
    Eventually.until("a take-over", () -> !standby.ran.isEmpty());
    Eventually.until("its end", () -> standby.heard.contains("complete"));
    assertThat(recovered).first().isEqualTo(TIMER);
  }

  @Test
  void aShutdownThatWaitsHasTheTickOfTheLastRunDone() throws Exception {
    CountDownLatch runs = new CountDownLatch(1);
    TestNode node =
        node(
            context -> {
              runs.countDown();
              FiringTest.await(free);
            });
    node.schedule(TestNode.Exclusive.class, everySecond()).start();
    FiringTest.await(runs);
    Thread shutdown =
        new Thread(
            () -> {
              try {
                node.scheduler.shutdown(true);
              } catch (SchedulerException e) {
                throw new AssertionError(e);
              }
            });
    shutdown.start();
    Eventually.until("it is in standby", () -> inStandby(node));
    assertThat(runs(node)).isEmpty();
    free.countDown();
    shutdown.join();
    assertThat(runs(node)).singleElement().matches(run -> run.ending() == PastRun.Ending.RAN);
  }

  private static boolean inStandby(TestNode node) {
    try {
      return node.scheduler.isInStandbyMode();
    } catch (SchedulerException e) {
      return true; // It is shut down.
    }
  }

  @Test
  void aShutdownThatDoesNotWaitLeavesTheLeaseToTheRunThatGoesOn() throws Exception {
    TestNode node = node(context -> FiringTest.await(free));
    node.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("a run", () -> !node.ran.isEmpty());
    node.scheduler.shutdown(false);
    assertThat(node.pawl.inspector().find("job:" + TIMER_JOB).orElseThrow().holders()).hasSize(1);
    free.countDown();
    Eventually.until("the tick is done", () -> runs(node).size() == 1);
    assertThat(runs(node)).singleElement().matches(run -> run.ending() == PastRun.Ending.RAN);
  }

  @Test
  void aListenerThatThrowsBeforeTheRunDoesNotKeepTheJobFromRunningAgain() throws Exception {
    TestNode node = node(context -> {});
    AtomicInteger calls = new AtomicInteger();
    node.scheduler
        .getListenerManager()
        .addTriggerListener(
            new TriggerListenerSupport() {
              @Override
              public String getName() {
                return "broken";
              }

              @Override
              public void triggerFired(Trigger trigger, JobExecutionContext context) {
                if (calls.incrementAndGet() == 1) {
                  throw new IllegalStateException("broken");
                }
              }
            });
    node.schedule(TestNode.Exclusive.class, everySecond()).start();
    Eventually.until("the listener threw", () -> calls.get() > 0);
    Eventually.until(
        "a run",
        () -> {
          System.gc();
          return !node.ran.isEmpty();
        });
    assertThat(node.heard).anyMatch(line -> line.contains("dropped by Quartz"));
  }

  @Test
  void aListenerThatThrowsAfterTheRunDoesNotKeepTheJobFromRunningAgain() throws Exception {
    TestNode node = node(1, context -> {}, jobs -> {});
    AtomicInteger calls = new AtomicInteger();
    node.scheduler
        .getListenerManager()
        .addJobListener(
            new JobListenerSupport() {
              @Override
              public String getName() {
                return "broken";
              }

              @Override
              public void jobWasExecuted(JobExecutionContext context, JobExecutionException error) {
                if (calls.incrementAndGet() == 1) {
                  throw new IllegalStateException("broken");
                }
              }
            });
    node.schedule(TestNode.Plain.class, everySecond()).start();
    Eventually.until("the listener threw", () -> calls.get() > 0);
    node.scheduler.triggerJob(JobKey.jobKey("send")); // The same thread begins something else.
    Eventually.until("it runs again", () -> node.ran.size() >= 4);
    assertThat(node.heard).anyMatch(line -> line.contains("dropped by Quartz"));
  }

  @Test
  void aRunByHandThatQuartzDropsGivesTheLockOfItsJobBack() throws Exception {
    TestNode node = node(1, context -> {}, jobs -> {});
    AtomicInteger calls = new AtomicInteger();
    node.scheduler
        .getListenerManager()
        .addJobListener(
            new JobListenerSupport() {
              @Override
              public String getName() {
                return "broken";
              }

              @Override
              public void jobWasExecuted(JobExecutionContext context, JobExecutionException error) {
                if (calls.incrementAndGet() == 1) {
                  throw new IllegalStateException("broken");
                }
              }
            });
    node.scheduler.addJob(TestNode.job(TestNode.Exclusive.class), false);
    node.scheduler.addJob(
        JobBuilder.newJob(TestNode.Plain.class).withIdentity("other").storeDurably().build(),
        false);
    node.start();
    node.scheduler.triggerJob(JobKey.jobKey("send"));
    Eventually.until("the listener threw", () -> calls.get() > 0);
    node.scheduler.triggerJob(JobKey.jobKey("other")); // The same thread begins something else.
    Eventually.until(
        "the lock is free",
        () ->
            node.pawl
                .inspector()
                .find("quartz:reports:DEFAULT/send")
                .map(info -> info.holders().isEmpty())
                .orElse(true));
    node.scheduler.triggerJob(JobKey.jobKey("send"));
    Eventually.until("it runs again", () -> node.ran.size() == 3);
    assertThat(node.heard).anyMatch(line -> line.contains("dropped by Quartz"));
  }

  @Test
  void tokensRise() throws Exception {
    List<Long> tokens = new CopyOnWriteArrayList<>();
    for (int i = 0; i < 2; i++) {
      TestNode node = node(context -> tokens.add(QuartzRun.of(context).orElseThrow().token()));
      node.schedule(TestNode.Exclusive.class, everySecond());
      node.scheduler.triggerJob(JobKey.jobKey("send"));
      node.start();
    }
    Eventually.until("five runs", () -> tokens.size() >= 5);
    assertThat(tokens).isSorted().doesNotHaveDuplicates();
  }
}
