package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pawl.Pawl;
import dev.pawl.memory.MemoryStore;
import dev.pawl.testservers.Measurement;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.quartz.CronScheduleBuilder;
import org.quartz.Scheduler;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.TriggerKey;
import org.quartz.impl.DirectSchedulerFactory;
import org.quartz.impl.SchedulerRepository;
import org.quartz.listeners.TriggerListenerSupport;
import org.quartz.simpl.RAMJobStore;
import org.quartz.simpl.SimpleThreadPool;
import org.quartz.spi.JobStore;

/**
 * How often a listener hears of a misfire. A trigger whose policy is to fire now has the present as
 * its new time; if the scheduler needs longer than the threshold to come to it, that is late again,
 * and Quartz says so again, with every job store.
 */
class MisfireTest {

  private static final TriggerKey TIMER = TriggerKey.triggerKey("timer");

  /** More than a scheduler on a busy machine needs for its next step. */
  private static final long THRESHOLD_MILLIS = 2_000;

  static Stream<Arguments> stores() {
    Function<Pawl, JobStore> alone =
        pawl -> {
          RAMJobStore store = new RAMJobStore();
          store.setMisfireThreshold(THRESHOLD_MILLIS);
          return store;
        };
    Function<Pawl, JobStore> clustered =
        pawl -> {
          PawlJobStore store = new PawlJobStore(pawl);
          store.setInstanceName("misfires");
          store.setMisfireThreshold(THRESHOLD_MILLIS);
          return store;
        };
    return Stream.of(
        Arguments.of("Quartz alone", alone), Arguments.of("Quartz over Pawl", clustered));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("stores")
  void aTimeThatIsTooLateIsHeardOfOnce(String which, Function<Pawl, JobStore> store)
      throws Exception {
    Measurement.whereNothingStalls(() -> misfire(store));
  }

  private static void misfire(Function<Pawl, JobStore> store) throws Exception {
    CountDownLatch ran = new CountDownLatch(1);
    AtomicInteger misfires = new AtomicInteger();
    try (MemoryStore memory = new MemoryStore();
        Pawl pawl = Pawl.builder(memory).build()) {
      Scheduler scheduler = scheduler(store.apply(pawl));
      try {
        scheduler.setJobFactory((bundle, quartz) -> context -> ran.countDown());
        scheduler
            .getListenerManager()
            .addTriggerListener(
                new TriggerListenerSupport() {
                  @Override
                  public String getName() {
                    return "ears";
                  }

                  @Override
                  public void triggerMisfired(Trigger trigger) {
                    misfires.incrementAndGet();
                  }
                });
        var at = ZonedDateTime.now(ZoneId.systemDefault()).plusSeconds(2);
        scheduler.scheduleJob(
            TestNode.job(TestNode.Plain.class),
            TriggerBuilder.newTrigger()
                .withIdentity(TIMER)
                .withSchedule(
                    CronScheduleBuilder.cronSchedule(
                        at.getSecond() + " " + at.getMinute() + " " + at.getHour() + " * * ?"))
                .build());
        Instant time = scheduler.getTrigger(TIMER).getNextFireTime().toInstant();
        scheduler.pauseTrigger(TIMER);
        scheduler.start();
        Eventually.until(
            "it is late", () -> Instant.now().isAfter(time.plusMillis(THRESHOLD_MILLIS + 100)));
        scheduler.resumeTrigger(TIMER);
        FiringTest.await(ran);
        assertThat(misfires).hasValue(1);
      } finally {
        scheduler.shutdown(true);
      }
    }
  }

  private static Scheduler scheduler(JobStore store) throws Exception {
    SimpleThreadPool pool = new SimpleThreadPool(1, Thread.NORM_PRIORITY);
    pool.setMakeThreadsDaemons(true);
    pool.initialize();
    DirectSchedulerFactory.getInstance().createScheduler("misfires", "one", pool, store);
    Scheduler scheduler = DirectSchedulerFactory.getInstance().getScheduler("misfires");
    SchedulerRepository.getInstance().remove("misfires");
    return scheduler;
  }
}
