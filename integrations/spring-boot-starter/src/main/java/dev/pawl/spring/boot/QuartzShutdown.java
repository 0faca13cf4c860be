package dev.pawl.spring.boot;

import dev.pawl.quartz.PawlJobStore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextClosedEvent;

/**
 * Ends the schedulers that work with the node when the context closes, before the node does: Spring
 * itself only pauses them until then, and their runs would lose their leases. They have the time
 * that Spring gives to a phase of the shutdown.
 */
final class QuartzShutdown implements SmartLifecycle, ApplicationListener<ContextClosedEvent> {

  private final ConfigurableListableBeanFactory beans;
  private final AtomicBoolean closing = new AtomicBoolean();
  private volatile boolean running;

  QuartzShutdown(ConfigurableListableBeanFactory beans) {
    this.beans = beans;
  }

  @Override
  public void onApplicationEvent(ContextClosedEvent event) {
    closing.set(true);
  }

  @Override
  public void start() {
    running = true;
  }

  /** A context that is merely stopped is started again, with its schedulers. */
  @Override
  public void stop() {
    running = false;
    if (closing.get()) {
      beans.getBeansOfType(Scheduler.class, false, false).values().forEach(QuartzShutdown::end);
    }
  }

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

  @Override
  public boolean isRunning() {
    return running;
  }
}
