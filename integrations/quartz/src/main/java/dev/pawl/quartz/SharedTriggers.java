package dev.pawl.quartz;

import dev.pawl.PawlException;
import java.util.Date;
import org.quartz.JobDetail;
import org.quartz.JobPersistenceException;
import org.quartz.TriggerKey;
import org.quartz.impl.matchers.GroupMatcher;
import org.quartz.simpl.RAMJobStore;
import org.quartz.spi.OperableTrigger;

/** What the triggers of a scheduler are for all nodes, and whether those can agree on it. */
final class SharedTriggers {

  private final RAMJobStore store;
  private final StoreSettings settings;
  private String scheduler = "QuartzScheduler";

  SharedTriggers(RAMJobStore store, StoreSettings settings) {
    this.store = store;
    this.settings = settings;
  }

  void scheduler(String name) {
    scheduler = name;
  }

  String scheduler() {
    return scheduler;
  }

  /** Returns the tick of the trigger's next fire. */
  ClusterTick tick(OperableTrigger trigger, JobDetail job) {
    Date next = trigger.getNextFireTime();
    String calendar = trigger.getCalendarName();
    return ClusterTick.of(
        scheduler,
        trigger,
        job,
        (next == null ? trigger.getStartTime() : next).toInstant(),
        calendar == null ? null : store.retrieveCalendar(calendar));
  }

  /** Returns the name of the lock of a job of which one run at a time is allowed. */
  String lock(JobDetail job) {
    return ClusterTick.lock(scheduler, job);
  }

  /** Refuses a trigger that nodes cannot share. */
  void check(OperableTrigger trigger, Fires fires) throws JobPersistenceException {
    JobDetail job = store.retrieveJob(trigger.getJobKey());
    if (job == null || !settings.isShared(trigger, job)) {
      return;
    }
    String name;
    try {
      name = tick(trigger, job).name();
      var unused = fires.job(name);
    } catch (IllegalArgumentException | PawlException e) {
      throw new JobPersistenceException(
          "trigger " + trigger.getKey() + " cannot be shared by nodes: " + e.getMessage(), e);
    }
    if (ClusterTick.hasRandomName(trigger.getKey())) {
      checkUnlikeOthers(trigger, name);
    }
  }

  private void checkUnlikeOthers(OperableTrigger trigger, String name)
      throws JobPersistenceException {
    for (TriggerKey key : store.getTriggerKeys(GroupMatcher.anyTriggerGroup())) {
      OperableTrigger other = store.retrieveTrigger(key);
      JobDetail job = other == null ? null : store.retrieveJob(other.getJobKey());
      if (job != null
          && !key.equals(trigger.getKey())
          && settings.isShared(other, job)
          && tick(other, job).name().equals(name)) {
        throw new JobPersistenceException(
            "another trigger without a name is "
                + name
                + " too, and nodes could not tell the two apart: name them by withIdentity(…)");
      }
    }
  }
}
