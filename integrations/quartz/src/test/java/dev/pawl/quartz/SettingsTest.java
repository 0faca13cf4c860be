package dev.pawl.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pawl.Pawl;
import dev.pawl.PawlException;
import java.nio.file.Path;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.springframework.scheduling.quartz.SchedulerFactoryBean;

/** A scheduler by its properties, and what is said about wrong ones. */
class SettingsTest {

  @TempDir Path directory;

  private static final CountDownLatch RAN = new CountDownLatch(1);

  /** A job that Quartz makes by itself. */
  public static class Note implements Job {
    @Override
    public void execute(JobExecutionContext context) {
      if (QuartzRun.of(context).isPresent()) {
        RAN.countDown();
      }
    }
  }

  private static Properties properties(String... keysAndValues) {
    Properties properties = new Properties();
    properties.setProperty("org.quartz.scheduler.instanceName", "settings");
    properties.setProperty("org.quartz.scheduler.instanceId", "AUTO");
    properties.setProperty("org.quartz.threadPool.threadCount", "2");
    properties.setProperty("org.quartz.jobStore.class", PawlJobStore.class.getName());
    for (int i = 0; i < keysAndValues.length; i += 2) {
      properties.setProperty("org.quartz.jobStore." + keysAndValues[i], keysAndValues[i + 1]);
    }
    return properties;
  }

  private static Scheduler scheduler(Properties properties) throws SchedulerException {
    return new StdSchedulerFactory(properties).getScheduler();
  }

  @Test
  void propertiesAloneAreEnough() throws Exception {
    Scheduler scheduler =
        scheduler(
            properties(
                "store", "sqlite:" + directory.resolve("locks.db"),
                "label", "web-1",
                "lease", "5000",
                "retryElsewhere", "2",
                "onEveryNode", "caches",
                "misfireThreshold", "60000"));
    try {
      scheduler.scheduleJob(
          JobBuilder.newJob(Note.class).withIdentity("note").build(),
          TriggerBuilder.newTrigger().withIdentity("note").startNow().build());
      scheduler.start();
      FiringTest.await(RAN);
      assertThat(scheduler.getMetaData().isJobStoreClustered()).isTrue();
    } finally {
      scheduler.shutdown(true);
    }
  }

  @Test
  void aTypoIsNamed() {
    assertThatThrownBy(() -> scheduler(properties("stor", "memory:")))
        .hasStackTraceContaining("No setter for property 'stor'");
  }

  @Test
  void aMissingStoreSaysWhatToSet() {
    assertThatThrownBy(() -> scheduler(properties()))
        .hasMessageContaining("org.quartz.jobStore.store is missing")
        .hasMessageContaining("PawlJobStore.use(pawl)");
  }

  @Test
  void aStoreThatDoesNotExistIsNamed() {
    assertThatThrownBy(() -> scheduler(properties("store", "nosuch:thing")))
        .isInstanceOfAny(PawlException.class, IllegalArgumentException.class)
        .hasMessageContaining("org.quartz.jobStore.store")
        .hasMessageContaining("nosuch");
  }

  @Test
  void aLeaseThatIsTooShortSaysWhatIsAllowed() {
    assertThatThrownBy(() -> scheduler(properties("store", "memory:", "lease", "10")))
        .hasStackTraceContaining("org.quartz.jobStore.lease is 10 milliseconds")
        .hasStackTraceContaining("allowed is");
  }

  @Test
  void aSchedulerOfSpringUsesTheNodeOfTheApplication() throws Exception {
    try (Pawl pawl = Pawl.connect("memory:")) {
      PawlJobStore.use("spring", pawl);
      CountDownLatch ran = new CountDownLatch(1);
      SchedulerFactoryBean bean = new SchedulerFactoryBean();
      bean.setQuartzProperties(properties());
      bean.setSchedulerName("spring");
      bean.setJobFactory((bundle, quartz) -> context -> ran.countDown());
      bean.setWaitForJobsToCompleteOnShutdown(true);
      bean.afterPropertiesSet();
      try {
        bean.getObject()
            .scheduleJob(
                JobBuilder.newJob(Note.class).withIdentity("note").build(),
                TriggerBuilder.newTrigger().withIdentity("note").startNow().build());
        bean.start();
        FiringTest.await(ran);
      } finally {
        bean.destroy();
      }
      assertThat(pawl.inspector().runs(5))
          .singleElement()
          .matches(run -> run.job().startsWith("quartz:spring:DEFAULT/note@"));
    }
  }
}
