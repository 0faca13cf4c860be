package dev.pawl.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.PastRun;
import dev.pawl.Pawl;
import dev.pawl.Store;
import dev.pawl.StoreUnavailableException;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testkit.UnreliableStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/** What {@link OncePerTick} says of its runs, and what an outage of the store does to a tick. */
class TickTermsTest {

  private static final BlockingQueue<Job.Run> RUNS = new LinkedBlockingQueue<>();
  private static final BlockingQueue<Boolean> INTERRUPTED = new LinkedBlockingQueue<>();
  private static final AtomicInteger NODES = new AtomicInteger();
  private static final AtomicInteger CALLS = new AtomicInteger();

  private final UnreliableStore store = new UnreliableStore(new MemoryStore());
  private final Pawl observer = Pawl.builder(store).build();
  private final List<AnnotationConfigApplicationContext> nodes = new ArrayList<>();

  @Configuration(proxyBeanMethods = false)
  @EnablePawl
  @EnableScheduling
  static class App {
    @Bean
    Pawl pawl(Store store) {
      return Pawl.builder(store).label("node " + NODES.incrementAndGet()).build();
    }
  }

  @BeforeEach
  void begin() {
    RUNS.clear();
    INTERRUPTED.clear();
    CALLS.set(0);
  }

  @AfterEach
  void end() {
    nodes.forEach(AnnotationConfigApplicationContext::close);
    observer.close();
  }

  private void start(Class<?>... beans) {
    AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    nodes.add(context);
    context.registerBean(
        Store.class, () -> store, definition -> definition.setDestroyMethodName(""));
    context.register(App.class);
    context.register(beans);
    context.refresh();
  }

  private static Job.Run next() throws InterruptedException {
    Job.Run run = RUNS.poll(1, TimeUnit.MINUTES);
    assertThat(run).as("a run within a minute").isNotNull();
    return run;
  }

  /** The first period of a job begins when a node first asks, by the store's clock. */
  private static void isOfTheSamePeriod(Job.Run first, Job.Run second) {
    assertThat(second.tick()).isBetween(first.tick(), first.tick().plus(Duration.ofMinutes(20)));
  }

  private List<PastRun> awaitJournal(String job, int count) {
    AppProcess.await(
        () -> observer.inspector().runs(job, 10).size() >= count,
        () -> "" + observer.inspector().runs(job, 10));
    return observer.inspector().runs(job, 10);
  }

  /** Until another node stands by for the tick that runs here. */
  private static void awaitStandby(Pawl pawl, String job) {
    AppProcess.await(
        () ->
            pawl.inspector()
                .find(Job.PREFIX + job)
                .map(LockInfo::waiters)
                .filter(waiters -> !waiters.isEmpty())
                .isPresent(),
        () -> "nobody stands by for " + job);
  }

  static class AtMost {
    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick(name = "at-most", atMostFor = "${most:300ms}")
    public void tick() {
      RUNS.add(CurrentRun.get());
      if (CALLS.incrementAndGet() == 1) {
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          INTERRUPTED.add(CurrentRun.get().isHeld());
        }
      }
    }
  }

  @Test
  void aRunThatTakesLongerThanAtMostForIsInterruptedAndItsTickRunsOnAnotherNode() throws Exception {
    start(AtMost.class);
    start(AtMost.class);
    Job.Run first = next();
    Job.Run second = next();
    assertThat(INTERRUPTED.poll(1, TimeUnit.MINUTES)).as("held when interrupted").isFalse();
    isOfTheSamePeriod(first, second);
    assertThat(second.token()).isGreaterThan(first.token());
    // On a busy machine the second may take as long, and it is a third that runs to its end.
    AppProcess.await(
        () -> endings("at-most").contains(PastRun.Ending.RAN), () -> "" + endings("at-most"));
    assertThat(endings("at-most"))
        .containsOnlyOnce(PastRun.Ending.RAN)
        .hasSizeGreaterThanOrEqualTo(2);
  }

  private List<PastRun.Ending> endings(String job) {
    return observer.inspector().runs(job, 10).stream().map(PastRun::ending).toList();
  }

  static class AtLeast {
    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick(name = "at-least", atLeastFor = "20m")
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  static class NotKept {
    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick("not-kept")
    public void tick() {
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aJobIsKeptForAtLeastForAfterItsRunHasEnded() throws Exception {
    start(AtLeast.class, NotKept.class);
    next();
    next();
    assertThat(awaitJournal("at-least", 1))
        .extracting(PastRun::ending)
        .containsExactly(PastRun.Ending.RAN);
    AppProcess.await(
        () -> keptFor("at-least").compareTo(Duration.ofMinutes(10)) > 0,
        () -> "at-least is kept for " + keptFor("at-least"));
    AppProcess.await(() -> keptFor("not-kept").isZero(), () -> "not-kept is kept");
  }

  private Duration keptFor(String job) {
    return observer.inspector().find(Job.PREFIX + job).stream()
        .flatMap(info -> info.holders().stream())
        .map(LockInfo.Holder::left)
        .findFirst()
        .orElse(Duration.ZERO);
  }

  static class Failing {
    @Autowired Pawl pawl;

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick(name = "failing", retryElsewhere = 1)
    public void tick() {
      fail(pawl, "failing");
    }

    static void fail(Pawl pawl, String job) {
      if (CALLS.incrementAndGet() == 1) {
        awaitStandby(pawl, job);
        RUNS.add(CurrentRun.get());
        throw new IllegalStateException("no modem");
      }
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aTickWhoseMethodThrowsIsRunByAnotherNode() throws Exception {
    start(Failing.class);
    start(Failing.class);
    ranElsewhere("failing");
  }

  static class FailingByDefault {
    @Autowired Pawl pawl;

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick("failing-by-default")
    public void tick() {
      Failing.fail(pawl, "failing-by-default");
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class RetryByDefault {
    @Bean
    PawlDefaults defaults() {
      return new PawlDefaults(Optional.empty(), Optional.empty(), Optional.empty(), 1);
    }
  }

  @Test
  void theDefaultsHoldWhereTheAnnotationSaysNothing() throws Exception {
    start(RetryByDefault.class, FailingByDefault.class);
    start(RetryByDefault.class, FailingByDefault.class);
    ranElsewhere("failing-by-default");
  }

  private void ranElsewhere(String job) throws Exception {
    Job.Run first = next();
    Job.Run second = next();
    isOfTheSamePeriod(first, second);
    List<PastRun> runs = awaitJournal(job, 2);
    assertThat(runs.get(0).ending()).isEqualTo(PastRun.Ending.RAN);
    assertThat(runs.get(1).ending()).isEqualTo(PastRun.Ending.RETRIED);
    assertThat(runs.get(1).error()).hasValueSatisfying(why -> assertThat(why).contains("no modem"));
    assertThat(runs).extracting(PastRun::node).doesNotHaveDuplicates();
  }

  static class FailingForGood {
    @Autowired Pawl pawl;

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick(name = "for-good", retryElsewhere = 0)
    public void tick() {
      Failing.fail(pawl, "for-good");
    }
  }

  @Test
  void theAnnotationWinsOverTheDefaults() throws Exception {
    start(RetryByDefault.class, FailingForGood.class);
    start(RetryByDefault.class, FailingForGood.class);
    next();
    AppProcess.await(
        () ->
            observer.inspector().find("job:for-good").stream()
                .allMatch(info -> info.holders().isEmpty() && info.waiters().isEmpty()),
        () -> "" + observer.inspector().find("job:for-good"));
    assertThat(observer.inspector().runs("for-good", 10)).hasSize(1);
    assertThat(CALLS).hasValue(1);
  }

  static class TickedAndLocked {
    static final AtomicInteger HOLDERS = new AtomicInteger();
    @Autowired Pawl pawl;

    @Scheduled(fixedRate = 1, timeUnit = TimeUnit.HOURS)
    @OncePerTick("ticked")
    @Locked("account")
    public void tick() {
      pawl.inspector().find("account").ifPresent(it -> HOLDERS.set(it.holders().size()));
      RUNS.add(CurrentRun.get());
    }
  }

  @Test
  void aTickOfAnOutageRunsUnderItsLockWhenTheStoreIsBack() throws Exception {
    store.become(UnreliableStore.Mode.REFUSING);
    start(TickedAndLocked.class);
    store.become(UnreliableStore.Mode.GOOD);
    Job.Run run = next();
    assertThat(awaitJournal("ticked", 1)).extracting(PastRun::tick).containsExactly(run.tick());
    assertThat(TickedAndLocked.HOLDERS).as("holders of the lock during the run").hasValue(1);
  }

  static class OnlyLocked {
    static final AtomicInteger ENTERED = new AtomicInteger();

    @Scheduled(fixedRate = 50)
    @Locked(name = "account", waitFor = "1s", lease = "20s")
    public void tick() {
      ENTERED.incrementAndGet();
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Scheduler {
    static final BlockingQueue<Throwable> FAILURES = new LinkedBlockingQueue<>();

    @Bean
    ThreadPoolTaskScheduler taskScheduler() {
      ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
      scheduler.setErrorHandler(FAILURES::add);
      return scheduler;
    }
  }

  @Test
  void aScheduledMethodThatIsOnlyLockedMissesTheTicksOfAnOutageAndRunsTheNextOne()
      throws Exception {
    start(Scheduler.class, OnlyLocked.class);
    AppProcess.await(() -> OnlyLocked.ENTERED.get() > 0, () -> "it does not run");
    store.become(UnreliableStore.Mode.REFUSING);
    // The first may be of a call that had its lock before.
    assertThat(Scheduler.FAILURES.poll(1, TimeUnit.MINUTES)).isNotNull();
    int during = OnlyLocked.ENTERED.get();
    assertThat(Scheduler.FAILURES.poll(1, TimeUnit.MINUTES))
        .isInstanceOf(StoreUnavailableException.class);
    assertThat(OnlyLocked.ENTERED).hasValue(during);
    store.become(UnreliableStore.Mode.GOOD);
    AppProcess.await(() -> OnlyLocked.ENTERED.get() > during, () -> "it does not run again");
  }
}
