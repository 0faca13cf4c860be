package dev.pawl.quartz;

import java.time.Instant;
import java.util.Date;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.quartz.JobDetail;
import org.quartz.JobPersistenceException;
import org.quartz.Trigger;
import org.quartz.Trigger.CompletedExecutionInstruction;
import org.quartz.Trigger.TriggerState;
import org.quartz.TriggerKey;
import org.quartz.spi.OperableTrigger;

/** What fires need of Quartz, by the job store and the signals of its scheduler. */
final class StoreQuartz implements FireQuartz {

  private final PawlJobStore store;

  StoreQuartz(PawlJobStore store) {
    this.store = store;
  }

  @Override
  public void wake() {
    store.signaler().signalSchedulingChange(0);
  }

  @Override
  public @Nullable String whyNot(Fire fire) {
    return switch (state(fire.before.getKey())) {
      case NONE -> "its trigger was removed from its scheduler";
      case PAUSED -> "its trigger is paused in its scheduler";
      default -> null;
    };
  }

  private TriggerState state(TriggerKey key) {
    try {
      return store.getTriggerState(key);
    } catch (JobPersistenceException e) {
      throw new IllegalStateException(e); // It is in memory.
    }
  }

  @Override
  public boolean isMisfire(OperableTrigger trigger) {
    return trigger.getMisfireInstruction() != Trigger.MISFIRE_INSTRUCTION_IGNORE_MISFIRE_POLICY
        && trigger
            .getNextFireTime()
            .toInstant()
            .isBefore(Instant.now().minusMillis(store.getMisfireThreshold()));
  }

  @Override
  public void over(Fire fire) {
    boolean isLast = fire.fired.getNextFireTime() == null;
    end(
        fire,
        isLast ? CompletedExecutionInstruction.DELETE_TRIGGER : CompletedExecutionInstruction.NOOP);
    if (isLast) {
      store.signaler().notifySchedulerListenersFinalized(fire.fired);
    }
  }

  private void end(Fire fire, CompletedExecutionInstruction instruction) {
    // The job as it is now: its data may have changed since.
    JobDetail job = store.retrieveJob(fire.before.getJobKey());
    store.completeHere(fire.fired, job == null ? fire.job() : job, instruction);
  }

  /** Sets the trigger back to before it fired: what is due now, its own policy says. */
  @Override
  public void misfired(Fire fire) {
    TriggerKey key = fire.before.getKey();
    OperableTrigger now = store.retrieveTrigger(key);
    boolean isAsItWas =
        now != null
            && isSame(now.getNextFireTime(), fire.fired.getNextFireTime())
            && state(key) != TriggerState.PAUSED;
    try {
      if (isAsItWas && store.replaceTrigger(key, fire.before)) {
        end(fire, CompletedExecutionInstruction.NOOP);
        wake();
        return;
      }
    } catch (JobPersistenceException e) {
      failed(fire + " is missed here: " + e.getMessage());
    }
    missed(fire);
    over(fire);
  }

  private boolean isSame(@Nullable Date one, @Nullable Date other) {
    return Optional.ofNullable(one)
        .map(Date::toInstant)
        .equals(Optional.ofNullable(other).map(Date::toInstant));
  }

  @Override
  public void missed(Fire fire) {
    store.signaler().notifyTriggerListenersMisfired(fire.before);
  }

  @Override
  public void failed(String message) {
    store.signaler().notifySchedulerListenersError(message, new FireException(message));
  }
}
