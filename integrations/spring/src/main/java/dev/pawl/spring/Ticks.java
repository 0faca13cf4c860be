package dev.pawl.spring;

import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.Trigger;
import org.springframework.scheduling.TriggerContext;
import org.springframework.scheduling.support.CronTrigger;

/**
 * The times that a trigger has set, for the runs that come of them.
 *
 * <p>A scheduler asks the trigger for a time, waits, and calls the task without saying for which
 * time. It may ask for the next one before the task of the last has begun, if it runs each in a
 * thread of its own. So the times are kept, and a run takes the last that its clock has reached. If
 * it has reached none, because the clock was set back or the timer was early, it takes the first.
 */
final class Ticks {

  private final ConcurrentSkipListSet<Instant> set = new ConcurrentSkipListSet<>();
  private volatile Clock clock = Clock.systemUTC();

  private @Nullable Instant keep(TriggerContext context, @Nullable Instant next) {
    clock = context.getClock();
    if (next != null) {
      set.add(next);
    }
    return next;
  }

  /** Returns the scheduled time of the run that begins now; null if it was not scheduled. */
  @Nullable Instant take() {
    Instant tick = set.floor(clock.instant());
    if (tick == null) {
      return set.pollFirst();
    }
    set.headSet(tick, true).clear();
    return tick;
  }

  Trigger of(Trigger trigger) {
    return context -> keep(context, trigger.nextExecution(context));
  }

  /** As {@link #of(Trigger)}, for those who want to see a cron expression. */
  CronTrigger of(CronTrigger trigger) {
    return new OfCron(trigger);
  }

  private final class OfCron extends CronTrigger {

    private final CronTrigger trigger;

    OfCron(CronTrigger trigger) {
      super(trigger.getExpression());
      this.trigger = trigger;
    }

    @Override
    public @Nullable Instant nextExecution(TriggerContext context) {
      return keep(context, trigger.nextExecution(context));
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(this);
    }
  }
}
