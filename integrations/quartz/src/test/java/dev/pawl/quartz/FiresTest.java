package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Inspector;
import dev.pawl.Job;
import dev.pawl.LockInfo;
import dev.pawl.LockOptions;
import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testkit.UnreliableStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.quartz.JobDetail;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.TriggerBuilder;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.TriggerFiredBundle;

/** Fires that wait, on a node whose Quartz is the test. */
class FiresTest {

  private static final String LOCK = "quartz:reports:DEFAULT/send";
  private static final JobDetail JOB = TestNode.job(TestNode.Exclusive.class);

  /** A Quartz that remembers what it hears. */
  private static final class Heard implements FireQuartz {

    final List<String> failures = new CopyOnWriteArrayList<>();
    final List<Fire> over = new CopyOnWriteArrayList<>();

    @Override
    public void wake() {}

    @Override
    public String whyNot(Fire fire) {
      return null;
    }

    @Override
    public boolean isMisfire(OperableTrigger trigger) {
      return false;
    }

    @Override
    public void over(Fire fire) {
      over.add(fire);
    }

    @Override
    public void misfired(Fire fire) {}

    @Override
    public void missed(Fire fire) {}

    @Override
    public void failed(String message) {
      failures.add(message);
    }
  }

  private final UnreliableStore store = new UnreliableStore(new MemoryStore());
  private final Pawl pawl = Pawl.builder(store).responseTimeout(Duration.ofSeconds(5)).build();
  private final Heard quartz = new Heard();
  private final Fires fires = new Fires(quartz, pawl, LockOptions.DEFAULT, 0);

  @BeforeEach
  void start() {
    fires.resume();
  }

  @AfterEach
  void end() {
    store.become(UnreliableStore.Mode.GOOD);
    fires.close(() -> {}, Duration.ofSeconds(5));
    pawl.close();
  }

  private Fire fire(ClusterTick tick, String lock) {
    OperableTrigger trigger =
        (OperableTrigger)
            TriggerBuilder.newTrigger()
                .withIdentity("timer")
                .forJob(JOB)
                .withSchedule(SimpleScheduleBuilder.repeatHourlyForever())
                .build();
    trigger.computeFirstFireTime(null);
    trigger.setFireInstanceId(UUID.randomUUID().toString());
    OperableTrigger before = (OperableTrigger) trigger.clone();
    trigger.triggered(null);
    TriggerFiredBundle bundle =
        new TriggerFiredBundle(
            JOB,
            trigger,
            null,
            false,
            Date.from(Instant.now()),
            before.getNextFireTime(),
            null,
            trigger.getNextFireTime());
    return new Fire(fires, before, bundle, tick, lock);
  }

  private Fire everyHour() {
    return fire(
        new ClusterTick("quartz:reports:DEFAULT/timer", Job.every(Duration.ofHours(1))), null);
  }

  /** One by {@code triggerJob}, of a job of which one run at a time is allowed. */
  private Fire byHand() {
    return fire(null, LOCK);
  }

  private Fire takeNext() {
    List<Fire> taken = new CopyOnWriteArrayList<>();
    Eventually.until(
        "a fire is ready",
        () -> {
          taken.addAll(fires.take(1));
          return !taken.isEmpty();
        });
    return taken.get(0);
  }

  private List<LockInfo.Holder> holders() {
    return pawl.inspector().find(LOCK).map(LockInfo::holders).orElse(List.of());
  }

  private void takeTheLockAway() {
    Inspector inspector = pawl.inspector();
    assertThat(inspector.forceRelease(LOCK, holders().get(0).token(), "ann", "a test")).isTrue();
    Eventually.until("the node knows", () -> !pawl.lock(LOCK).isHeldByThisNode());
  }

  /** The later one waits for the store in its place: it is for the period that is due then. */
  @Test
  void ofTwoFiresOfAPeriodInAnOutageTheLaterRunsWhenTheStoreIsBack() {
    store.become(UnreliableStore.Mode.REFUSING);
    Fire first = everyHour();
    fires.begin(first);
    Eventually.until("an outage", () -> !quartz.failures.isEmpty());

    Fire second = everyHour();
    fires.begin(second);
    Eventually.until("the earlier one is missed", () -> quartz.over.contains(first));
    store.become(UnreliableStore.Mode.GOOD);

    assertThat(takeNext()).isSameAs(second);
    assertThat(fires.start(second.id())).isNotNull();
    fires.ended(second.id(), null);
    Eventually.until("nothing waits", fires::isIdle);
  }

  @Test
  void whatWaitsToAskAgainDoesNotOutliveItsScheduler() {
    store.become(UnreliableStore.Mode.REFUSING);
    fires.begin(everyHour());
    Eventually.until("an outage", () -> !quartz.failures.isEmpty());
    AtomicBoolean closed = new AtomicBoolean();

    fires.close(() -> closed.set(true), Duration.ofSeconds(5));

    assertThat(fires.isIdle()).isTrue();
    assertThat(closed).isTrue();
  }

  @Test
  void aSchedulerThatStopsKeepsNoLockOfARunThatNoThreadHasBegun() {
    fires.begin(byHand());
    Eventually.until("it has the lock", () -> !holders().isEmpty());
    takeNext();

    fires.pause();

    assertThat(holders()).isEmpty();
    assertThat(fires.isIdle()).isTrue();
  }

  @Test
  void aRunWhoseLockIsLostBeforeAThreadBeginsItAsksForItAnew() {
    Fire byHand = byHand();
    fires.begin(byHand);
    assertThat(takeNext()).isSameAs(byHand);
    takeTheLockAway();
    assertThat(fires.start(byHand.id())).isNull();
    assertThat(fires.putBack(byHand.id())).isFalse();

    assertThat(takeNext()).isSameAs(byHand);
    assertThat(fires.start(byHand.id())).isNotNull();
    assertThat(holders()).hasSize(1);

    fires.ended(byHand.id(), null);
    assertThat(holders()).isEmpty();
    assertThat(fires.isIdle()).isTrue();
  }

  @Test
  void aFireThatItsNodeCannotAskForIsOver() {
    pawl.close();
    Fire timed = everyHour();
    Fire byHand = byHand();

    fires.begin(timed);
    fires.begin(byHand);

    assertThat(quartz.over).containsExactly(timed, byHand);
    assertThat(fires.isIdle()).isTrue();
    assertThat(quartz.failures).hasSize(2).allMatch(each -> each.contains("is not run here"));
  }
}
