package dev.pawl.engine.jobs;

import dev.pawl.Job;
import java.time.Instant;

/**
 * What a call asks the store for.
 *
 * @param job the name of the job
 * @param due which tick
 * @param tick as the user has said it
 * @param again whether the tick is done, and is asked for because it may be run once more
 * @param mark the latest tick that is known to be done, if it is asked for again
 */
record Asked(String job, Due due, Job.Tick tick, boolean again, long mark) {

  Instant time() {
    return Instant.ofEpochMilli(due.tick());
  }
}
