package dev.pawl.engine.jobs;

import dev.pawl.LockOptions;
import dev.pawl.text.DurationText;
import java.time.Duration;

/**
 * What a job is told about its runs.
 *
 * @param most the longest run, or zero for no bound
 */
record RunTerms(Duration most, Duration least, int retries) {

  static final RunTerms DEFAULT = new RunTerms(Duration.ZERO, Duration.ZERO, 0);

  private static final int MOST_RETRIES = 50;

  RunTerms withMost(Duration changed) {
    checkTime("atMostFor", changed);
    return new RunTerms(changed, least, retries);
  }

  RunTerms withLeast(Duration changed) {
    checkTime("atLeastFor", changed);
    return new RunTerms(most, changed, retries);
  }

  RunTerms withRetries(int times) {
    if (times < 0 || times > MOST_RETRIES) {
      throw new IllegalArgumentException("times is " + times + "; allowed is 0 to " + MOST_RETRIES);
    }
    return new RunTerms(most, least, times);
  }

  private static void checkTime(String what, Duration time) {
    DurationText.check(what, time, LockOptions.MIN_LEASE, LockOptions.MAX_LEASE);
  }
}
