package dev.pawl.quartz;

import java.time.Instant;
import java.util.Date;
import org.quartz.JobDetail;
import org.quartz.Scheduler;
import org.quartz.spi.OperableTrigger;
import org.quartz.spi.TriggerFiredBundle;

/** What Quartz needs to run a fire, made anew each time it is offered. */
final class FireBundle {

  private final TriggerFiredBundle bundle;

  FireBundle(TriggerFiredBundle bundle) {
    this.bundle = bundle;
  }

  JobDetail job() {
    return bundle.getJobDetail();
  }

  /**
   * Returns a bundle with a trigger that nobody else has: when it is garbage, Quartz is done.
   *
   * @param isTakeOver whether another node may have begun the run
   */
  TriggerFiredBundle toRun(boolean isTakeOver) {
    OperableTrigger trigger = (OperableTrigger) bundle.getTrigger().clone();
    if (isTakeOver) {
      trigger
          .getJobDataMap()
          .put(Scheduler.FAILED_JOB_ORIGINAL_TRIGGER_NAME, trigger.getKey().getName());
      trigger
          .getJobDataMap()
          .put(Scheduler.FAILED_JOB_ORIGINAL_TRIGGER_GROUP, trigger.getKey().getGroup());
    }
    return new TriggerFiredBundle(
        bundle.getJobDetail(),
        trigger,
        bundle.getCalendar(),
        isTakeOver,
        Date.from(Instant.now()),
        bundle.getScheduledFireTime(),
        bundle.getPrevFireTime(),
        bundle.getNextFireTime());
  }
}
