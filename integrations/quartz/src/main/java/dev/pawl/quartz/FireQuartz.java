package dev.pawl.quartz;

import org.jspecify.annotations.Nullable;
import org.quartz.spi.OperableTrigger;

/** What fires need of Quartz. */
interface FireQuartz {

  /** Has the scheduler's thread look for what is ready. */
  void wake();

  /** Returns why a fire may not run here now; null if it may. */
  @Nullable String whyNot(Fire fire);

  /** Tells whether a trigger is later than its scheduler bears. */
  boolean isMisfire(OperableTrigger trigger);

  /** Ends a fire that Quartz did not run, or dropped: its trigger and job go on. */
  void over(Fire fire);

  /** Ends a fire that is too late, by the trigger's own policy. */
  void misfired(Fire fire);

  /** Tells the trigger's listeners of a time that is missed. */
  void missed(Fire fire);

  /** Tells the scheduler's listeners. */
  void failed(String message);
}
