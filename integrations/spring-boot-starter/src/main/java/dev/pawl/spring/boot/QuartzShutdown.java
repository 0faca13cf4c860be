package dev.pawl.spring.boot;

import dev.pawl.quartz.PawlJobStore;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Ends the schedulers that work with the node when the context closes, before the node does: Spring
 * itself only pauses them until then, and their runs would lose their leases. They have the time
 * that Spring gives to a phase of the shutdown.
 */
final class QuartzShutdown extends ContextEnd {

  private final ConfigurableListableBeanFactory beans;

  QuartzShutdown(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  void end() {
    beans.getBeansOfType(Scheduler.class, false, false).values().forEach(QuartzShutdown::end);
  }

  private static void end(Scheduler scheduler) {
    try {
      if (PawlJobStore.class.isAssignableFrom(scheduler.getMetaData().getJobStoreClass())) {
        scheduler.shutdown(true);
      }
    } catch (SchedulerException e) {
      LoggerFactory.getLogger(QuartzShutdown.class)
          .warn("a scheduler of Quartz did not end: {}", e.getMessage());
    }
  }

  /** On a thread of its own: it takes as long as the runs do. */
  @Override
  public void stop(Runnable callback) {
    Thread ending =
        new Thread(
            () -> {
              try {
                stop();
              } finally {
                callback.run();
              }
            },
            "pawl-quartz-shutdown");
    ending.setDaemon(true);
    ending.start();
  }
}
