package dev.pawl.engine.jobs;

import dev.pawl.JobControl;
import java.util.Optional;

/**
 * Whether a call that was granted the name of a job may run its tick, as operators have decided.
 *
 * @param pause why it may not
 * @param permit what permits the tick to be run again; it is used up by the run
 * @param again whether it needs a permit
 */
record Admission(
    Optional<JobControl.Pause> pause, Optional<JobControl.Permit> permit, boolean again) {

  boolean isGiven() {
    return pause.isEmpty() && (!again || permit.isPresent());
  }
}
