package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Job;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.memory.MemoryStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.SchedulingConfigurer;
import org.springframework.scheduling.concurrent.SimpleAsyncTaskScheduler;
import org.springframework.scheduling.config.ScheduledTaskHolder;
import org.springframework.scheduling.config.TriggerTask;
import org.springframework.scheduling.support.CronTrigger;
import org.springframework.scheduling.support.PeriodicTrigger;

/** {@link OncePerTick} with several nodes in one process, on one store. */
class OncePerTickTest {

  private static final BlockingQueue<Job.Run> RUNS = new LinkedBlockingQueue<>();

  private final MemoryStore store = new MemoryStore();
  private final List<AnnotationConfigApplicationContext> nodes = new java.util.ArrayList<>();

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  @EnableScheduling
  static class App {
    @Bean
    Pawl pawl(Store store) {
      return Pawl.builder(store).build();
    }
  }

  @AfterEach
  void end() {
    nodes.forEach(AnnotationConfigApplicationContext::close);
    RUNS.clear();
    try (Pawl pawl = Pawl.builder(store).build()) {
      assertThat(pawl.inspector().listInUse("", 10)).isEmpty();
    }
  }

  private AnnotationConfigApplicationContext start(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    nodes.add(context);
    context.registerBean(
        Store.class, () -> store, definition -> definition.setDestroyMethodName(""));
    context.register(App.class);
    context.register(beans);
    context.refresh();
    return context;
  }

  static class EverySecond {
    @Scheduled(cron = "* * * * * *", zone = "UTC")
    @OncePerTick("second")
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void ofACronScheduleOneNodeRunsEachScheduledTime() throws Exception {
    for (int i = 0; i < 4; i++) {
      start(EverySecond.class);
    }
    Instant last = Instant.EPOCH;
    for (int i = 0; i < 4; i++) {
      Job.Run run = RUNS.poll(1, TimeUnit.MINUTES);
      assertThat(run.tick()).isAfter(last);
      assertThat(run.tick().getNano()).isZero();
      last = run.tick();
    }
  }

  @Test
  void schedulersWithAThreadForEachTaskTakeTheRightTime() throws Exception {
    start(EverySecond.class, AsyncScheduler.class);
    Instant last = RUNS.poll(1, TimeUnit.MINUTES).tick();
    for (int i = 0; i < 3; i++) {
      Instant next = RUNS.poll(1, TimeUnit.MINUTES).tick();
      assertThat(next).isAfter(last);
      assertThat(Duration.between(next, Instant.now())).isGreaterThan(Duration.ofMillis(-50));
      last = next;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class AsyncScheduler {
    @Bean
    SimpleAsyncTaskScheduler taskScheduler() {
      return new SimpleAsyncTaskScheduler();
    }
  }

  static class Rate {
    @Scheduled(fixedRate = 300)
    @OncePerTick
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aFixedRateRunsOnceAPeriodOfTheStoresClock() throws Exception {
    start(Rate.class);
    start(Rate.class);
    Instant last = RUNS.poll(1, TimeUnit.MINUTES).tick();
    for (int i = 0; i < 5; i++) {
      Instant next = RUNS.poll(1, TimeUnit.MINUTES).tick();
      assertThat(Duration.between(last, next)).isGreaterThanOrEqualTo(Duration.ofMillis(150));
      last = next;
    }
    try (Pawl pawl = Pawl.builder(store).build()) {
      List<PastRun> runs = pawl.inspector().runs(Rate.class.getName() + ".tick", 100);
      assertThat(runs).isNotEmpty();
      assertThat(runs.stream().map(PastRun::tick).toList()).doesNotHaveDuplicates();
    }
  }

  static class Delay {
    @Scheduled(fixedDelay = 100)
    @OncePerTick("delay")
    public void tick() {}
  }

  @Test
  void aFixedDelayIsRefusedWithTheReason() {
    assertThatThrownBy(() -> start(Delay.class))
        .hasStackTraceContaining("a fixed delay has no ticks")
        .hasStackTraceContaining("period = \"1m\"");
  }

  static class DelayWithPeriod {
    @Scheduled(fixedDelay = 50)
    @OncePerTick(name = "delay", period = "400ms")
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aFixedDelayWithAPeriodRunsOnceAPeriod() throws Exception {
    start(DelayWithPeriod.class);
    start(DelayWithPeriod.class);
    Instant last = RUNS.poll(1, TimeUnit.MINUTES).tick();
    for (int i = 0; i < 3; i++) {
      Instant next = RUNS.poll(1, TimeUnit.MINUTES).tick();
      assertThat(Duration.between(last, next)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
      last = next;
    }
  }

  static class OnAnotherThread {
    @Async
    @Scheduled(fixedRate = 1000)
    @OncePerTick("async")
    public void tick() {}
  }

  @Test
  void asyncIsRefusedWithWhatToDo() {
    assertThatThrownBy(() -> start(OnAnotherThread.class))
        .hasStackTraceContaining("leave @Async out");
  }

  static class AtTheStart {
    @Scheduled(initialDelay = 1000)
    @OncePerTick("start")
    public void tick() {}
  }

  @Test
  void aTaskThatRunsOnceIsRefused() {
    assertThatThrownBy(() -> start(AtTheStart.class)).hasStackTraceContaining("has no ticks");
  }

  static class Twins {
    @Scheduled(fixedRate = 1000)
    @OncePerTick("twin")
    public void one() {}

    @Scheduled(fixedRate = 1000)
    @OncePerTick("twin")
    public void two() {}
  }

  @Test
  void twoJobsOfOneNameAreRefused() {
    assertThatThrownBy(() -> start(Twins.class)).hasStackTraceContaining("a name of its own");
  }

  static class TwoSchedules {
    @Scheduled(cron = "0 0 3 * * *")
    @Scheduled(cron = "* * * * * *")
    @OncePerTick("two")
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void eachOfSeveralSchedulesOfAMethodIsAJob() throws Exception {
    AnnotationConfigApplicationContext node = start(TwoSchedules.class);
    assertThat(RUNS.poll(1, TimeUnit.MINUTES).job()).isEqualTo("two[* * * * * *]");
    assertThat(node.getBean(ScheduledTaskHolder.class).getScheduledTasks()).hasSize(2);
  }

  static class TooShort {
    @Scheduled(fixedRate = 1000)
    @OncePerTick(name = "short", atLeastFor = "10ms")
    public void tick() {}
  }

  /** Not with a warning at each tick, and no run for ever. */
  @Test
  void aTimeThatIsNotAllowedIsRefusedAtTheStart() {
    assertThatThrownBy(() -> start(TooShort.class))
        .hasStackTraceContaining("job \"short\" cannot run: atLeastFor is 10ms");
  }

  static class TwoZones {
    @Scheduled(cron = "0 0 6 * * *", zone = "Europe/Berlin")
    @Scheduled(cron = "0 0 6 * * *", zone = "Asia/Tokyo")
    @OncePerTick("morning")
    public void tick() {}
  }

  @Test
  void oneTimeInTwoZonesIsTwoJobs() {
    assertThat(start(TwoZones.class).getBean(ScheduledTaskHolder.class).getScheduledTasks())
        .extracting(task -> task.getTask().toString())
        .containsExactlyInAnyOrder(
            "once per tick: morning[0 0 6 * * * Europe/Berlin]",
            "once per tick: morning[0 0 6 * * * Asia/Tokyo]");
  }

  static class Configured implements SchedulingConfigurer {
    @Autowired OnceTasks once;

    @Override
    public void configureTasks(
        org.springframework.scheduling.config.ScheduledTaskRegistrar registrar) {
      registrar.addCronTask(
          once.cron("by-configurer", new CronTrigger("* * * * * *"), Configured::run));
      TriggerTask task =
          once.triggered("by-trigger", new CronTrigger("0 0 * * * *")::nextExecution, () -> {});
      registrar.addTriggerTask(task);
      registrar.addFixedRateTask(once.every("by-rate", Duration.ofHours(1), Configured::run));
    }

    private static void run() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aSchedulingConfigurerHasItsWay() throws Exception {
    start(Configured.class);
    start(Configured.class);
    List<String> jobs = new java.util.ArrayList<>();
    while (jobs.stream().filter("by-configurer"::equals).count() < 3 || !jobs.contains("by-rate")) {
      jobs.add(RUNS.poll(1, TimeUnit.MINUTES).job());
    }
    assertThat(jobs.stream().filter("by-rate"::equals)).hasSize(1);
  }

  /** Every node would run it. */
  @Test
  void aTriggerWithTimesOfItsOwnNodeIsRefused() {
    OnceTasks once = start(TwoZones.class).getBean(OnceTasks.class);
    assertThatThrownBy(
            () -> once.triggered("periodic", new PeriodicTrigger(Duration.ofMinutes(1)), () -> {}))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("periodic")
        .hasMessageContaining("every(job, period, body)");
  }

  static class Slow {
    static final CountDownLatch BEGUN = new CountDownLatch(1);
    static final CountDownLatch MAY_END = new CountDownLatch(1);
    static final AtomicInteger ENDED = new AtomicInteger();

    @Scheduled(fixedRate = 100)
    @OncePerTick("slow")
    public void tick() throws InterruptedException {
      BEGUN.countDown();
      MAY_END.await();
      ENDED.incrementAndGet();
    }
  }

  @Test
  void closingTheContextLetsARunEndAndBeginsNoOther() throws Exception {
    AnnotationConfigApplicationContext node = start(Slow.class);
    Slow.BEGUN.await();
    CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
    OnceTasks once = node.getBean(OnceTasks.class);
    while (once.isRunning()) {
      Thread.onSpinWait();
    }
    Slow.MAY_END.countDown();
    closed.get(1, TimeUnit.MINUTES);
    assertThat(Slow.ENDED).hasValue(1);
    try (Pawl pawl = Pawl.builder(store).build()) {
      assertThat(pawl.inspector().runs("slow", 10))
          .extracting(PastRun::ending)
          .containsExactly(PastRun.Ending.RAN);
    }
  }

  static class Endless {
    static final CountDownLatch BEGUN = new CountDownLatch(1);
    static final CountDownLatch INTERRUPTED = new CountDownLatch(1);

    @Scheduled(fixedRate = 100)
    @OncePerTick("endless")
    public void tick() {
      BEGUN.countDown();
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        INTERRUPTED.countDown();
      }
    }
  }

  @Test
  void aRunThatDoesNotEndLosesItsLeaseAfterItsTime() throws Exception {
    AnnotationConfigApplicationContext node = start(Endless.class, ShortShutdown.class);
    Endless.BEGUN.await();
    node.close();
    assertThat(Endless.INTERRUPTED.await(1, TimeUnit.MINUTES)).isTrue();
  }

  @Configuration(proxyBeanMethods = false)
  static class ShortShutdown {
    @Bean
    static DefaultLifecycleProcessor lifecycleProcessor() {
      DefaultLifecycleProcessor processor = new DefaultLifecycleProcessor();
      processor.setTimeoutPerShutdownPhase(200);
      return processor;
    }
  }
}
